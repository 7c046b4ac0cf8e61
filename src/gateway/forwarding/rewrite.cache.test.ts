import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeadFault, headToKeep, parseRequestHead, parseResponseHead } from '../http/head.ts'
import { requestFraming } from '../http/framing.ts'
import { planOf } from './plan.ts'
import { RewriteCache } from './rewrite.cache.ts'
import { ProxyRefusal } from '../responses/refusal.ts'
import { readAbsoluteForm, responseFields, rewriteRequest, sameAuthority, wantsWebsocket } from './rewrite.ts'

/** Consecutive heads of one peer: many repeated, some malformed. */
const line = fc.constantFrom(
  'Host: a.example',
  'Host: b.example',
  'Accept: */*',
  'Accept: text/html',
  'Connection: keep-alive',
  'Connection: upgrade',
  'Connection: x-one',
  'Upgrade: websocket',
  'X-One: 1',
  'Max-Forwards: 3',
  'Cookie: a=b',
  'Content-Length: 0',
  'Content-Length: 3',
  'Transfer-Encoding: chunked',
  'X-Request-Id: theirs',
  ' folded',
  'no colon',
  `X-Long: ${'x'.repeat(1500)}`,
)
const lines = fc.array(line, { maxLength: 4 })
const requestLine = fc.constantFrom(
  'GET http://a.example/ HTTP/1.1',
  'GET http://a.example/other HTTP/1.1',
  'GET http://a.example/ HTTP/1.0',
  'HEAD http://b.example/ HTTP/1.1',
  'OPTIONS http://a.example/ HTTP/1.1',
  'GET  two blanks',
)
const statusLine = fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/1.1 304 Not', 'HTTP/1.1 20')

const headOf = (first: string, rest: readonly string[]) =>
  Buffer.from(`${[first, ...rest].join('\r\n')}\r\n\r\n`, 'latin1')

/** The result, or the error that is thrown. */
function outcome<T>(work: () => T): T | string {
  try {
    return work()
  } catch (fault) {
    if (fault instanceof HeadFault) return `${fault.status} ${fault.message}`
    throw fault
  }
}

describe('a repeated message on a kept connection', () => {
  it('is parsed and forwarded as on its first occurrence', () => {
    const message = fc.tuple(requestLine, lines, fc.constantFrom(null, '192.0.2.1'))
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), (messages) => {
        const repeats = new RewriteCache()
        let last: ReturnType<typeof parseRequestHead> | null = null
        for (const [first, rest, forwardedFor] of messages) {
          const bytes = headOf(first, ['Host: a.example', ...rest])
          const fresh = outcome(() => parseRequestHead(bytes))
          const again = outcome(() => parseRequestHead(bytes, last))
          expect(again).toEqual(fresh)
          if (typeof again === 'string') continue
          last = headToKeep(again)
          const forwarding = readAbsoluteForm(again)
          const framing = outcome(() => requestFraming(again))
          if (typeof framing === 'string') continue
          const way = { framing, upgrade: wantsWebsocket(again), forwardedFor, forwards: null }
          const sent = repeats.request(again, forwarding, way)
          expect(sent.toString('latin1')).toBe(rewriteRequest(again, forwarding, way).toString('latin1'))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('goes to the same target as on its first occurrence', () => {
    const scheme = fc.constantFrom('http://', 'HTTP://', 'https://', '/', '')
    const authority = fc.constantFrom(
      'a.example',
      'A.example',
      'a.example:80',
      'a.examples',
      'u@a.example',
      '[2001:db8::1]',
      '',
    )
    const end = fc.constantFrom('', '/', '/path', '?query', '/path?a=/b', '/path#part', '//double', ':81/')
    const parts = { scheme, authority, end }
    /** Every second pair has the same scheme and authority. */
    const targets = fc
      .record({ first: fc.record(parts), second: fc.record(parts), hasSame: fc.boolean() })
      .map(({ first, second, hasSame }) => [first, hasSame ? { ...first, end: second.end } : second] as const)
      .map((pair) => pair.map((one) => `${one.scheme}${one.authority}${one.end}`))
    const method = fc.constantFrom('GET', 'POST', 'OPTIONS')
    const readAll = (head: ReturnType<typeof parseRequestHead>) => {
      try {
        return readAbsoluteForm(head)
      } catch (fault) {
        if (fault instanceof ProxyRefusal) return null
        throw fault
      }
    }
    const read = (verb: string, where: string | undefined) =>
      parseRequestHead(headOf(`${verb} ${where || '*'} HTTP/1.1`, ['Host: a.example']))
    let taken = 0
    fc.assert(
      fc.property(method, method, targets, (verb, verbBefore, [where, whereBefore]) => {
        const head = read(verb, where)
        const same = sameAuthority(head, readAll(read(verbBefore, whereBefore)))
        if (same === null) return
        taken++
        expect(same).toEqual(readAll(head))
      }),
      { numRuns: 2000 },
    )
    expect(taken).toBeGreaterThan(0)
  })

  it('is answered as on its first occurrence', () => {
    const asked = fc.constantFrom(
      'GET http://a/ HTTP/1.1',
      'HEAD http://a/ HTTP/1.1',
      'GET http://a/ HTTP/1.0',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(statusLine, lines, asked, fc.boolean()), { maxLength: 6 }), (answers) => {
        const repeats = new RewriteCache()
        let last: ReturnType<typeof parseResponseHead> | null = null
        for (const [first, rest, request, canKeep] of answers) {
          const bytes = headOf(first, rest)
          const fresh = outcome(() => parseResponseHead(bytes))
          const again = outcome(() => parseResponseHead(bytes, last))
          expect(again).toEqual(fresh)
          if (typeof again === 'string') continue
          last = headToKeep(again)
          const head = parseRequestHead(headOf(request, ['Host: a']))
          const kept = outcome(() => repeats.response(again, head, canKeep))
          const expected = outcome(() => {
            const plan = planOf(again, head, canKeep)
            return { plan, fields: responseFields(again, plan.sent) }
          })
          if (typeof kept === 'string' || typeof expected === 'string') expect(kept).toEqual(expected)
          else expect({ plan: kept.plan, fields: kept.fields }).toEqual(expected)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is not parsed twice', () => {
    const once = parseRequestHead(headOf('GET http://a.example/ HTTP/1.1', ['Host: a.example']))
    const same = headOf('GET http://a.example/ HTTP/1.1', ['Host: a.example'])
    const other = headOf('GET http://a.example/2 HTTP/1.1', ['Host: a.example'])
    expect(parseRequestHead(same, once)).toBe(once)
    expect(parseRequestHead(other, once).fields).toBe(once.fields)
    const long = parseRequestHead(headOf('GET http://a/ HTTP/1.1', ['Host: a', `X: ${'x'.repeat(3000)}`]))
    expect(headToKeep(long)).toBeNull()
  })
})
