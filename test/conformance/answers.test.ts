import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { basic } from '../../src/gateway/testing/bench.ts'
import { type Origin, startOrigin } from '#test/origin'
import { fieldsOf, request, Talks, withTarget } from './talk.ts'
import { startWay, type Way, wayNames } from './ways.ts'

let origin: Origin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

describe.each(wayNames)('an answer %s', (name) => {
  let way: Way
  const talks = new Talks(() => way)
  const url = (path: string) => `http://127.0.0.1:${origin.httpPort}${path}`

  beforeAll(async () => {
    way = await startWay(name)
  })
  afterEach(() => talks.close())
  afterAll(() => way.close())

  /** The answer to a request when the target sends this. */
  const answerOf = (text: string) => withTarget(text, (target) => talks.ask(request(`${target.url}/`)))

  it('H19: in chunks is complete', async () => {
    const chunked =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n8;a=b\r\nchunked \r\n'
    const { body, complete } = await answerOf(`${chunked}5\r\nworld\r\n0\r\n\r\n`)
    expect([body, complete]).toEqual(['hello chunked world', true])
  })

  it('H21, H22, H23: without a body ends correctly, and the connection is kept', async () => {
    const talk = await talks.open(request(url('/bytes/7'), '', 'HEAD'))
    const head = await talk.answer('HEAD')
    expect([head.status, fieldsOf(head.head, 'Content-Length')]).toEqual([200, ['7']])
    talk.say(request(url('/status/204')))
    expect((await talk.answer()).status).toBe(204)
    await withTarget('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', async (target) => {
      talk.say(request(`${target.url}/`))
      expect((await talk.answer()).status).toBe(304)
    })
    talk.say(request(url('/bytes/1')))
    expect((await talk.answer()).body).toHaveLength(1)
  })

  it('H25: after early hints is passed on, as are the hints', async () => {
    const talk = await talks.open(request(url('/hints')))
    expect((await talk.answer()).status).toBe(103)
    expect(await talk.answer()).toMatchObject({ status: 200, body: 'after hints' })
  })

  it('H30: to HTTP/1.0 is not in chunks', async () => {
    const old = `GET ${url('/chunked/5000')} HTTP/1.0\r\n${basic()}\r\n`
    const { head, body, status } = await talks.ask(old)
    expect([status, body.length]).toEqual([200, 5000])
    expect(fieldsOf(head, 'Transfer-Encoding')).toEqual([])
  })

  it('H34: keeps the bytes of its fields', async () => {
    const { head } = await answerOf('HTTP/1.1 200 OK\r\nX-Bytes: caf\xe9\r\nContent-Length: 0\r\n\r\n')
    expect(fieldsOf(head, 'X-Bytes')).toEqual(['caf\xe9'])
  })

  it('H42: that is truncated is detectable as truncated', async () => {
    const { complete, body } = await talks.ask(request(url('/truncated/1000')))
    expect([complete, body.length]).toEqual([false, 1000])
  })

  it('H47: with a blank before a colon is passed on without the blank, and its framing is understood', async () => {
    const { head, body, complete } = await answerOf(
      'HTTP/1.1 200 OK\r\nX-Odd : v\r\nContent-Length \t: 2\r\n\r\nok',
    )
    expect([fieldsOf(head, 'X-Odd'), body, complete]).toEqual([['v'], 'ok', true])
    expect(head).not.toMatch(/[ \t]:/)
  })

  it('H48: with a folded line is not passed on', async () => {
    const { head } = await answerOf('HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\nok')
    expect(head).toMatch(/^HTTP\/1\.1 502 /)
    expect(head).not.toContain('X-Folded')
  })

  it('S51: with an empty Transfer-Encoding or Content-Length is 502, and its body reaches nobody', async () => {
    for (const fields of [
      'Transfer-Encoding:\r\nContent-Length: 5\r\n',
      'Transfer-Encoding: ,\r\nContent-Length: 5\r\n',
      'Content-Length:\r\n',
      'Content-Length: , ,\r\n',
    ])
      await withTarget(`HTTP/1.1 200 OK\r\n${fields}\r\nhello`, async (target) => {
        const talk = await talks.open(request(`${target.url}/1`) + request(url('/bytes/3')))
        expect((await talk.answer()).status).toBe(502)
        const { status, body } = await talk.answer()
        expect([status, body.length, talk.rest]).toEqual([200, 3, ''])
      })
  })

  it('S52: with empty items in its Content-Length is passed on with the number alone, and its connection is kept', async () => {
    for (const fields of [
      'Content-Length: , 5',
      'Content-Length: 5,',
      'content-length:\r\nContent-Length: 5',
      'Content-Length: 5, 5',
    ])
      await withTarget(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\nhello`, async (target) => {
        const talk = await talks.open(request(`${target.url}/1`))
        const { head, body } = await talk.answer()
        expect([fieldsOf(head, 'Content-Length'), body]).toEqual([['5'], 'hello'])
        talk.say(request(`${target.url}/2`))
        expect((await talk.answer()).body).toBe('hello')
        expect(target.connections()).toBe(1)
      })
  })

  it('H72: of HTTP/1.2 is read as HTTP/1.1, and its connection is kept', async () => {
    await withTarget(
      'HTTP/1.2 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      async (target) => {
        const talk = await talks.open(request(`${target.url}/1`))
        expect(await talk.answer()).toMatchObject({ status: 200, body: 'ok', complete: true })
        talk.say(request(`${target.url}/2`))
        expect(await talk.answer()).toMatchObject({ status: 200, body: 'ok', complete: true })
        expect(target.connections()).toBe(1)
      },
    )
  })

  it('H61: whose client closes closes the target’s connection', async () => {
    const before = origin.open()
    const talk = await talks.open(request(url('/bytes/500000000')))
    await talk.client.until(() => talk.client.text.includes('\r\n\r\n'), 'the first bytes')
    talk.line.socket.pause()
    talk.line.reset()
    await eventually(() => origin.open() <= before, 'the target to be let go')
  })

  it('H62: that never comes, because the target closes, is 502', async () => {
    expect((await talks.ask(request(url('/close')))).status).toBe(502)
  })

  it('H69: without a Date gets one, and one with it keeps it', async () => {
    const theirs = 'Sun, 06 Nov 1994 08:49:37 GMT'
    const dates = async (field: string) =>
      fieldsOf((await answerOf(`HTTP/1.1 200 OK\r\n${field}Content-Length: 0\r\n\r\n`)).head, 'Date')
    expect(await dates(`Date: ${theirs}\r\n`)).toEqual([theirs])
    const added = await dates('')
    expect(added).toHaveLength(1)
    expect(new Date(added[0] ?? '').toUTCString()).toBe(added[0])
  })

  it('H63: with a redirect is passed on unchanged', async () => {
    const { status, head } = await answerOf(
      'HTTP/1.1 302 Found\r\nLocation: http://elsewhere.test/x?y#z\r\nContent-Length: 0\r\n\r\n',
    )
    expect([status, fieldsOf(head, 'Location')]).toEqual([302, ['http://elsewhere.test/x?y#z']])
  })
})
