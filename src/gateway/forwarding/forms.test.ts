/** The less common parts of HTTP: what a proxy must pass on unchanged, and must not send on its own. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOrigin, type Origin } from '#test/origin'
import { eventually } from '#test/eventually'
import type { RawClient } from '../testing/client.ts'
import { basic, startBench, type Bench } from '../testing/bench.ts'

let origin: Origin
let bench: Bench
const targets: { close: () => void }[] = []

beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
beforeEach(async () => {
  origin.seen.length = 0
  bench = await startBench()
})
afterEach(async () => {
  for (const target of targets.splice(0)) target.close()
  await bench.close()
  expect(bench.errors).toEqual([])
  expect(bench.feed.faults).toEqual([])
})

const say = (text: string) => bench.say(text)
const request = (url: string, fields = '', method = 'GET') =>
  `${method} ${url} HTTP/1.1\r\nHost: x\r\n${basic()}${fields}\r\n`
const heads = (client: RawClient) =>
  [...client.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

/** A target that handles each chunk as the test specifies, and keeps everything it received. */
async function target(speak: (socket: Socket, heard: string) => void) {
  const sockets = new Set<Socket>()
  const heard: string[] = []
  const server = createServer((socket) => {
    const at = heard.push('') - 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      heard[at] += chunk.toString('latin1')
      speak(socket, heard[at] ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  targets.push({
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard }
}

describe('Expect: 100-continue', () => {
  it('is passed to the target, and no interim response precedes the target’s own', async () => {
    let answer: (() => void) | undefined
    const slow = await target((socket, heard) => {
      if (heard.endsWith('\r\n\r\n')) answer = () => socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    const client = say(request(slow.url, 'Expect: 100-continue\r\nContent-Length: 4\r\n', 'POST'))
    await client.until(() => answer !== undefined, 'the head to arrive')
    expect(slow.heard[0]).toMatch(/\r\nExpect: 100-continue\r\n/)
    expect(client.text).toBe('')
    answer?.()
    await client.until(() => heads(client).length === 1, 'the interim answer')
    client.write('body')
    await client.until(() => client.text.endsWith('ok'), 'the answer')
    expect(heads(client)).toEqual(['100', '200'])
  })

  it('that the target rejects is rejected, without the body, and the connection ends', async () => {
    const strict = await target((socket) =>
      socket.write('HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n'),
    )
    const client = say(request(strict.url, 'Expect: 100-continue\r\nContent-Length: 400\r\n', 'POST'))
    await client.untilEnd()
    expect(heads(client)).toEqual(['417'])
    expect(client.text).toMatch(/\r\nConnection: close\r\n/)
  })

  it('that the gateway rejects gets no 100', async () => {
    const fields = 'Expect: 100-continue\r\nContent-Length: 4\r\n'
    const client = say(request('http://10.0.0.1/', fields, 'POST'))
    await client.untilEnd()
    expect(heads(client)).toEqual(['403'])
  })
})

describe('interim answers', () => {
  it('are all passed on, in their order, without hop-by-hop fields', async () => {
    const interim = [102, 103, 103].map(
      (status, at) => `HTTP/1.1 ${status} Soon\r\nX-At: ${at}\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n`,
    )
    const hinting = await target((socket) =>
      socket.write(`${interim.join('')}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`),
    )
    const client = say(request(hinting.url) + request(hinting.url))
    await client.until(() => client.text.endsWith('ok') && heads(client).length === 8, 'both answers')
    expect(heads(client)).toEqual(['102', '103', '103', '200', '102', '103', '103', '200'])
    expect([...client.text.matchAll(/X-At: (\d)/g)].map(([, at]) => at).join('')).toBe('012012')
    expect(client.text).not.toMatch(/X-Hop/)
  })
})

describe('HEAD', () => {
  it('is answered by a head alone, whatever body it announces, and the next response belongs to the next request', async () => {
    const chunked = await target((socket, heard) =>
      socket.write(
        heard.includes('GET ')
          ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
          : 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      ),
    )
    const client = say(request(chunked.url, '', 'HEAD'))
    await client.until(() => client.text.endsWith('\r\n\r\n'), 'the head')
    client.write(request(chunked.url))
    await client.until(() => client.text.endsWith('ok'), 'the next answer')
    expect(heads(client)).toEqual(['200', '200'])
    expect(chunked.heard).toHaveLength(1)
  })

  it('that is refused gets no body either', async () => {
    const client = say(
      request('http://10.0.0.1/', '', 'HEAD') + request(`http://127.0.0.1:${origin.httpPort}/bytes/3`),
    )
    await client.until(() => heads(client).length === 2, 'both answers')
    expect(client.text).toMatch(/^HTTP\/1.1 403 [^]*?\r\n\r\nHTTP\/1.1 200 /)
  })
})

describe('Upgrade', () => {
  it('that the target rejects leaves an ordinary connection, on which further requests are authenticated', async () => {
    const plain = await target((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'
    const hidden = `GET http://127.0.0.1:${origin.httpPort}/hidden HTTP/1.1\r\nHost: x\r\n\r\n`
    const client = say(request(plain.url, upgrade) + hidden)
    await client.until(() => heads(client).length === 2, 'both answers')
    expect(heads(client)).toEqual(['200', '407'])
    expect(plain.heard[0]).not.toMatch(/hidden/)
    expect(origin.seen).toEqual([])
  })

  it('passes on bytes sent right after it, once the target has switched', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'
    const client = say(`${request(`http://127.0.0.1:${origin.httpPort}/ws`, upgrade)}early`)
    await client.until(() => client.text.endsWith('helloearly'), 'the echo')
    expect(heads(client)).toEqual(['101'])
  })
})

describe('trailers', () => {
  const body = (trailer: string) => `2\r\nok\r\n0\r\n${trailer}\r\n`
  const chunked = 'Transfer-Encoding: chunked\r\n'

  it('pass unchanged in both directions', async () => {
    const told = await target((socket, heard) => {
      if (heard.endsWith(body('X-Sum: 1\r\n')))
        socket.write(`HTTP/1.1 200 OK\r\n${chunked}\r\n${body('X-Sum: 2\r\n')}`)
    })
    const client = say(request(told.url, chunked, 'POST') + body('X-Sum: 1\r\n'))
    await client.until(() => client.text.endsWith(body('X-Sum: 2\r\n')), 'the answer')
  })

  it('must not contain fields that only a head may have', async () => {
    for (const field of [
      'Proxy-Authorization: Basic x',
      'Host: evil',
      'Content-Length: 3',
      'Transfer-Encoding: x',
    ]) {
      const strict = await target(() => undefined)
      const client = say(request(strict.url, chunked, 'POST') + body(`${field}\r\n`))
      await client.untilEnd()
      expect(heads(client), field).toEqual(['400'])
    }
  })
})

it('a blank after a chunk size is accepted from a target, but not from a client', async () => {
  const padded = '2 \r\nok\r\n0\r\n\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const old = await target((socket, heard) => {
    if (heard.startsWith('GET')) socket.write(`HTTP/1.1 200 OK\r\n${chunked}\r\n${padded}`)
  })
  const reading = say(request(old.url))
  await reading.until(() => reading.text.endsWith(padded), 'the answer')
  const writing = say(request(old.url, chunked, 'POST') + padded)
  await writing.untilEnd()
  expect(heads(writing)).toEqual(['400'])
})

describe('a line without anonymity', () => {
  it('discloses the client and the proxy; one with anonymity discloses neither', async () => {
    for (const line of ['alice1-anon-off', 'alice1']) {
      const url = `http://127.0.0.1:${origin.httpPort}/`
      const client = say(request(url, 'Connection: close\r\n').replace(basic(), basic(line)))
      await client.untilEnd()
    }
    const [open, hidden] = origin.seen.map(({ rawHeaders }) => rawHeaders.join('\n'))
    expect(open).toMatch(/Via\n1.1 turnpike/)
    expect(open).toMatch(/X-Forwarded-For\n127.0.0.1/)
    expect(hidden).not.toMatch(/via|forwarded/i)
  })
})

it('an answer whose head never ends is 502, and is not read to its end', async () => {
  let open = true
  const endless = await target((socket) => {
    socket.on('close', () => (open = false))
    const more = () => {
      while (open && socket.write(`X-More: ${'a'.repeat(1000)}\r\n`));
    }
    socket.on('drain', more)
    socket.write('HTTP/1.1 200 OK\r\n')
    more()
  })
  const client = say(request(endless.url, 'Connection: close\r\n'))
  await client.untilEnd()
  expect(client.text).toMatch(/^HTTP\/1.1 502 .*bad_answer/s)
  await eventually(() => !open, 'the target to be let go')
})

describe('a kept connection that its target closes during the next request', () => {
  it.each([
    ['GET', '', 2],
    ['POST', 'Content-Length: 0\r\n', 1],
    ['PUT', 'Content-Length: 2\r\n', 1],
    ['DELETE', '', 1],
  ])('is replaced only where a repetition is safe: %s', async (method, fields, times) => {
    const closing = await target((socket, heard) => {
      if (heard.includes('/first') && heard.includes('/second')) socket.destroy()
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    const client = say(request(`${closing.url}first`))
    await client.until(() => client.text.endsWith('ok'), 'the first answer')
    client.write(`${request(`${closing.url}second`, fields, method)}${fields.includes('2') ? 'ok' : ''}`)
    await client.until(() => heads(client).length === 2, 'the second answer')
    expect(heads(client)[1]).toBe(times === 2 ? '200' : '502')
    expect(closing.heard.filter((text) => text.includes('/second'))).toHaveLength(times)
  })
})

it('many small requests in one packet are charged to the byte', async () => {
  const many = Array.from({ length: 200 }, (_, at) =>
    request(`http://127.0.0.1:${origin.httpPort}/bytes/${at}`),
  )
  const client = say(many.join(''))
  await client.until(() => heads(client).length === 200, 'all answers')
  client.socket.end()
  await client.untilEnd()
  const carried = many.join('').length + client.bytes.length
  await eventually(() => bench.feed.charged.get(1n) === BigInt(carried), 'the exact charge')
})
