/** Nothing is relayed without authentication, for any bytes in any segmentation. */
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { RawClient } from './testing/client.ts'
import { startBench, type Bench } from './testing/bench.ts'

let origin: Origin
let bench: Bench

beforeAll(async () => {
  origin = await startOrigin()
  bench = await startBench()
})
afterAll(async () => {
  await bench.close()
  expect(bench.errors).toEqual([])
  await origin.close()
})

const basicOf = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

/** Clients without the password, in many forms. */
function strangers(): fc.Arbitrary<Buffer> {
  const address = [127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 0xff]
  const login = fc.constantFrom(
    'alice1',
    'nobody1',
    'alice1-cc-us',
    'alice1__cr.us',
    'brd-customer-alice1-zone-a',
    'customer-alice1-cc-zz',
    '',
    '\r\nHost: x',
    'alice1\0',
  )
  const password = fc.constantFrom(
    '',
    'wrong',
    'secre',
    'secret ',
    'Secret',
    'wrong_country-us',
    '_secret',
    'secret\0',
  )
  const userPassword = fc.tuple(login, password).map(([name, word]) => ({ name, word }))
  const authorization = fc.oneof(
    fc.constant(''),
    userPassword.map(({ name, word }) => `Proxy-Authorization: ${basicOf(`${name}:${word}`)}\r\n`),
    fc.constantFrom(
      `Authorization: ${basicOf('alice1:secret')}\r\n`,
      `Proxy-Authorization: Bearer secret\r\n`,
      `Proxy-Authorization: ${basicOf('alice1:secret')}\r\nProxy-Authorization: ${basicOf('a:b')}\r\n`,
      `Proxy-Authorization : ${basicOf('alice1:secret')}\r\n`,
      `Proxy-Authorization:\r\n ${basicOf('alice1:secret')}\r\n`,
    ),
  )
  const http = fc
    .tuple(fc.constantFrom('GET', 'CONNECT', 'POST', 'OPTIONS'), authorization, fc.constantFrom('', 'hello'))
    .map(([method, more, behind]) => {
      const target =
        method === 'CONNECT' ? `127.0.0.1:${origin.echoPort}` : `http://127.0.0.1:${origin.httpPort}/`
      const length = method === 'POST' ? 'Content-Length: 5\r\n' : ''
      return bytesOf(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${length}${more}\r\n${behind}`)
    })
  const socks = fc.tuple(userPassword, fc.boolean(), fc.boolean()).map(([{ name, word }, asked, skips]) => {
    const greeting = asked ? [5, 2, 0, 2] : [5, 1, 0]
    const [user, secret] = [bytesOf(name), bytesOf(word)]
    const shown = [1, user.length, ...user, secret.length, ...secret]
    return Buffer.from([...greeting, ...(skips ? [] : shown), 5, 1, 0, 1, ...address, ...bytesOf('hello')])
  })
  const noise = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes))
  return fc.oneof(
    http,
    socks,
    noise,
    fc.tuple(http, noise).map((both) => Buffer.concat(both)),
  )
}

/** Sends the pieces one after the other, and waits until the gateway has closed the connection. */
async function deliver(pieces: readonly Buffer[], localAddress = '127.0.0.1'): Promise<RawClient> {
  const to = { host: '127.0.0.1', port: bench.port, localAddress }
  const client = new RawClient(connect({ ...to, allowHalfOpen: true, noDelay: true }))
  for (const piece of pieces) {
    client.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  client.socket.end()
  await client.until(() => client.ended || client.closed, 'the end')
  client.destroy()
  return client
}

it('the gateway relays nothing for an unauthenticated client', async () => {
  const made = origin.made()
  const arbitrary = fc.tuple(strangers(), fc.array(fc.nat({ max: 200 }), { maxLength: 3 }))
  // In groups, because each waits for the other end.
  const cases = fc.sample(arbitrary, 600)
  for (let from = 0; from < cases.length; from += 30) {
    await Promise.all(
      cases.slice(from, from + 30).map(async ([bytes, cuts], index) => {
        // Each from its own address: the login throttle would otherwise refuse them.
        const address = `127.${index + 2}.${Math.floor(from / 250)}.${(from % 250) + 1}`
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const pieces = places.map((at, place) => bytes.subarray(at, places[place + 1]))
        const client = await deliver(pieces, address)
        expect(client.text, bytes.toString('latin1')).not.toMatch(/^HTTP\/1.1 2|hello/)
      }),
    )
  }
  expect(bench.gateway.stats().refusals['too_many_failures'] ?? 0).toBe(0)
  expect(origin.made()).toBe(made)
  expect(origin.seen).toEqual([])
  expect([...bench.feed.charged.values()].every((bytes) => bytes === 0n)).toBe(true)
}, 60_000)

/** A customer's bytes that make the target echo `hello`. */
const customers = (): [string, Buffer][] => {
  const address = [127, 0, 0, 1, origin.echoPort >> 8, origin.echoPort & 0xff]
  const [user, password] = [bytesOf('alice1'), bytesOf('secret_country-us')]
  const shown = [1, user.length, ...user, password.length, ...password]
  return [
    [
      'CONNECT',
      bytesOf(
        `CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n` +
          `Proxy-Authorization: ${basicOf('alice1__cr.us:secret')}\r\n\r\nhello`,
      ),
    ],
    ['SOCKS5', Buffer.from([5, 1, 2, ...shown, 5, 1, 0, 1, ...address, ...bytesOf('hello')])],
  ]
}

it('the gateway serves a customer for any segmentation of the bytes', async () => {
  for (const [name, bytes] of customers()) {
    const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1)
    for (let from = 0; from < cuts.length; from += 20) {
      await Promise.all(
        cuts.slice(from, from + 20).map(async (at) => {
          const client = await deliver([bytes.subarray(0, at), bytes.subarray(at)])
          expect(client.text, `${name} cut at ${at}`).toMatch(/hello$/)
        }),
      )
    }
    const single = await deliver(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))
    expect(single.text, name).toMatch(/hello$/)
  }
}, 60_000)
