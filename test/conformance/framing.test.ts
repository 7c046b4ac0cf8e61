import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { basic } from '../../src/gateway/testing/bench.ts'
import { ok, request, startTarget, Talks, type Target } from './talk.ts'
import { startWay, type Way, wayNames } from './ways.ts'

/**
 * Heads of messages whose end two parsers could place differently: the id of the case, the fields, and the
 * bytes after the head.
 */
const heads: [string, string, string?][] = [
  ['S04', 'Content-Length: 5, 6\r\n'],
  ['S06', 'Content-Length: 0x5\r\n'],
  ['S07', 'Content-Length: -1\r\n'],
  ['S09', 'Content-Length: 18446744073709551621\r\n'],
  ['S11', 'Transfer-Encoding: chunked, identity\r\nContent-Length: 5\r\n'],
  ['S12', 'Transfer-Encoding: identity, chunked\r\nContent-Length: 5\r\n'],
  ['S13', 'Transfer-Encoding: chunked;q=1\r\nContent-Length: 5\r\n'],
  ['S15', 'Transfer-Encoding: chun\0ked\r\nContent-Length: 5\r\n'],
  ['S17', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\nContent-Length: 5\r\n'],
  ['S1a', 'Transfer-Encoding: cHuNkEd, cHuNkEd\r\nContent-Length: 5\r\n'],
  ['S1b', 'Transfer-Encoding: chunked \f\r\nContent-Length: 5\r\n'],
  ['S20', 'Transfer-Encoding : chunked\r\n'],
  ['S22', 'X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
  ['S23', 'X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
  ['S25', 'X-A: b\0c\r\nContent-Length: 5\r\n'],
  ['S40', 'Transfer-Encoding: chunked\r\n', '1.0'],
  ['S43', 'Connection: Content-Length\r\nContent-Length: 5\r\n'],
  ['plain CL and TE', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
  ['+5', 'Content-Length: +5\r\n'],
]

/** Beginnings of a chunked body whose first size is ambiguous. */
const bodies: [string, string][] = [
  ['S30', '+5\r\nhello'],
  ['S31', '0x5\r\nhello'],
  ['S32', '5_\r\nhello'],
  ['S33', ' 5\r\nhello'],
  ['S34', '-5\r\nhello'],
  ['S35', '10000000000000005\r\nhello'],
  ['S36', '\r\nhello'],
  ['S37', '5;a=b\nhello'],
  ['S38', '5\nhello'],
  ['the largest long', '7fffffffffffffff\r\nhello'],
]

describe.each(wayNames)('ambiguous requests %s', (name) => {
  let way: Way
  let target: Target
  const talks = new Talks(() => way)
  const hidden = () => request(`${target.url}/hidden`)

  beforeAll(async () => {
    way = await startWay(name)
    target = await startTarget(ok)
  })
  afterEach(() => talks.close())
  afterAll(async () => {
    target.close()
    await way.close()
  })

  /** Expects one refusal, the end of the connection, and no answer to a hidden request. */
  async function isRefused(text: string): Promise<void> {
    const talk = await talks.open(text)
    await talk.client.untilEnd()
    const answers = talk.client.text.match(/HTTP\/1\.1 \d\d\d /g)
    expect(answers).toHaveLength(1)
    expect(answers?.[0]).toMatch(/ (400|501) /)
    expect(target.heard.join('')).not.toContain('/hidden')
  }

  it.each(heads)(
    '%s: is refused by its head, and nothing is forwarded',
    async (_id, fields, version = '1.1') => {
      const before = target.connections()
      await isRefused(
        `POST ${target.url}/ HTTP/${version}\r\nHost: x\r\n${basic()}${fields}\r\n0\r\n\r\n${hidden()}`,
      )
      expect(target.connections()).toBe(before)
    },
  )

  it('S50: is 400 where the last transfer coding is not chunked, 501 where one before it is unknown', async () => {
    for (const [codings, status] of [
      ['gzip', 400],
      ['chunked, gzip', 400],
      ['gzip, chunked', 501],
    ] as const) {
      const head = request(`${target.url}/`, `Transfer-Encoding: ${codings}\r\n`, 'POST')
      const talk = await talks.open(`${head}0\r\n\r\n${hidden()}`)
      await talk.client.untilEnd()
      expect(talk.client.text.match(/HTTP\/1\.1 \d\d\d /g)).toEqual([`HTTP/1.1 ${status} `])
    }
    expect(target.heard.join('')).not.toContain('/hidden')
  })

  it('S41: is refused for a blank before the first field', async () => {
    await isRefused(
      `POST ${target.url}/ HTTP/1.1\r\n Host: x\r\n${basic()}Content-Length: 0\r\n\r\n${hidden()}`,
    )
  })

  it.each(bodies)('%s: ends with the chunk that is malformed', async (_id, body) => {
    const head = request(`${target.url}/`, 'Transfer-Encoding: chunked\r\n', 'POST')
    const talk = await talks.open(`${head}${body}\r\n0\r\n\r\n${hidden()}`)
    await talk.client.untilEnd()
    // A target may have answered the head before its body proved malformed.
    expect(talk.client.text.match(/HTTP\/1\.1 \d\d\d /g)).toHaveLength(1)
    expect(target.heard.join('')).not.toContain('/hidden')
  })

  it('S48: a request inside the body of one that got 407 is never served', async () => {
    const text = `POST ${target.url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden().length}\r\n\r\n${hidden()}`
    const talk = await talks.open(text)
    expect((await talk.answer()).status).toBe(407)
    talk.say(request(`${target.url}/after`))
    expect((await talk.answer()).status).toBe(200)
    expect(talk.rest).toBe('')
    expect(target.heard.join('')).not.toContain('/hidden')
  })

  it('a million chunks of one byte are a body like any other', async () => {
    const head = request(`${target.url}/`, 'Transfer-Encoding: chunked\r\n', 'POST')
    const talk = await talks.open(head)
    const [status] = await Promise.all([
      talk.answer().then((answer) => answer.status),
      new Promise((resolve) => talk.line.socket.write(`${'1\r\na\r\n'.repeat(1_000_000)}0\r\n\r\n`, resolve)),
    ])
    expect(status).toBe(200)
  })
})
