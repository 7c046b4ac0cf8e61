/** Known vulnerabilities and bugs of other proxies that no conformance case covers, each by its number. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import { sized } from '#test/size'
import { RawClient } from './testing/client.ts'
import { basic, startBench, type Bench } from './testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

let origin: Origin
let bench: Bench
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
afterEach(async () => {
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

/** Sends the text, and returns all bytes received until the end. */
async function ask(text: string): Promise<string> {
  const client = new RawClient(bench.port)
  client.write(text)
  await client.untilEnd()
  client.destroy()
  return client.text
}

const get = (url: string, fields = '', credentials = basic()) =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}${credentials}\r\n`

/** All of the million are also in test/conformance/framing.test.ts. */
const chunks = sized(100_000, 1_000_000)

it('CVE-2024-25111: very many chunks of one byte are a body like any other', async () => {
  bench = await startBench()
  const client = new RawClient(bench.port)
  const url = `http://127.0.0.1:${origin.httpPort}/count`
  client.write(
    `POST ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n${basic()}\r\n`,
  )
  client.write(`${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\n`)
  await client.untilEnd(100_000)
  expect(client.text).toMatch(new RegExp(`^HTTP/1.1 200 .*\r\n${chunks}(\r\n|$)`, 's'))
  client.destroy()
})

it('CVE-2023-50269, CVE-2012-3505: thousands of addresses or fields are accepted or refused quickly', async () => {
  bench = await startBench()
  const url = `http://127.0.0.1:${origin.httpPort}/`
  expect(await ask(get(url, `X-Forwarded-For: ${'192.0.2.1, '.repeat(1200)}\r\n`))).toMatch(/^HTTP\/1.1 200 /)
  expect(await ask(get(url, `X-Forwarded-For: ${'192.0.2.1, '.repeat(9000)}\r\n`))).toMatch(/^HTTP\/1.1 431 /)
  const many = Array.from({ length: 5000 }, (_, at) => `X-${at.toString(36)}: 1\r\n`).join('')
  expect(await ask(get(url, many))).toMatch(/^HTTP\/1.1 431 /)
})

it('CVE-2021-28651, CVE-2023-46728, CVE-2026-47729: no protocol but HTTP is reachable by a request', async () => {
  bench = await startBench()
  const before = origin.made()
  const at = `127.0.0.1:${origin.httpPort}`
  for (const url of [
    `urn:${at}`,
    `gopher://${at}/`,
    `ftp://${at}/`,
    'file:///etc/passwd',
    `whois://${at}/`,
    `wais://${at}/`,
    `cache_object://${at}/`,
  ])
    expect(await ask(get(url)), url).toMatch(/^HTTP\/1.1 400 .*bad_target/s)
  expect(origin.made()).toBe(before)
})

it('CVE-2016-4553: the destination of a request follows from its request line, whatever its Host', async () => {
  bench = await startBench()
  const text = `GET http://127.0.0.1:${origin.httpPort}/ HTTP/1.1\r\nHost: 10.0.0.1\r\nConnection: close\r\n${basic()}\r\n`
  expect(await ask(text)).toContain(`"127.0.0.1:${origin.httpPort}"`)
  const made = origin.made()
  const client = new RawClient(bench.port)
  client.write(`CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:${origin.echoPort}\r\n${basic()}\r\n`)
  await client.until(() => client.text.includes('\r\n\r\n'), 'the refusal')
  expect(client.text).toMatch(/^HTTP\/1.1 400 .*the Host names another target/s)
  expect(origin.made()).toBe(made)
  client.destroy()
})

it('gost’s empty list: a gateway without accounts admits no client', async () => {
  const memory = new MemoryFeed()
  memory.addExit()
  bench = await startBench({ memory })
  const url = `http://127.0.0.1:${origin.httpPort}/`
  for (const credentials of ['', basic(), basic('', ''), basic('alice1', '')])
    expect(await ask(get(url, '', credentials))).toMatch(/^HTTP\/1.1 407 /)
  for (const methods of ['\x05\x01\x00', '\x05\x02\x00\x02\x01\x06alice1\x06secret']) {
    const answer = await ask(methods)
    expect([answer, methods]).toEqual([methods.length === 3 ? '\x05\xff' : '\x05\x02\x01\x01', methods])
  }
})

it('proxy-chain #53, #20, #64: clients that reset in the middle of a refusal cause no crash', async () => {
  bench = await startBench()
  const clients = Array.from({ length: 100 }, (_, at) => {
    const client = new RawClient(bench.port)
    const wrong = basic('alice1', 'wrong')
    client.write(
      at % 2 === 0
        ? get('http://127.0.0.1/', '', wrong)
        : `GET http://x/ HTTP/1.1\r\nBad Header\r\n${wrong}\r\n`,
    )
    return client
  })
  await eventually(() => bench.gateway.stats().connectionsTotal === 100, 'all of them')
  for (const client of clients) client.socket.resetAndDestroy()
  await eventually(() => bench.gateway.stats().connectionsOpen === 0, 'their end')
})

it('CVE-2022-31150, CVE-2024-24758: a user name puts no line into an answer, a log or a request', async () => {
  bench = await startBench()
  const url = `http://127.0.0.1:${origin.httpPort}/`
  for (const name of [
    'alice1-sid-a\r\nEvil: 1',
    'alice1-cc-us\nEvil: 1',
    'alice1\0-sid-a',
    'alice1-sid-a%0d%0aEvil:1',
  ]) {
    const answer = await ask(get(url, '', basic(name)))
    expect(answer, name).toMatch(/^HTTP\/1.1 40[07] /)
    expect(answer.split(/[\r\n]+/).filter((line) => line.startsWith('Evil'))).toEqual([])
  }
})

it('a request for the gateway’s own address ends, and does not loop', async () => {
  bench = await startBench()
  const answer = await ask(get(`http://127.0.0.1:${bench.port}/`))
  expect(answer).toMatch(/^HTTP\/1.1 400 .*bad_target/s)
  expect(bench.gateway.stats().connectionsTotal).toBe(2)
})
