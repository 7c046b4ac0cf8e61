import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatLine, parseLine, proxyFormats } from './proxy-lines.ts'

const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/)
const line = fc.record({
  login: word,
  password: word,
  hostname: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,30}$/),
  port: fc.integer({ min: 1, max: 65_535 }),
})

describe('a proxy line', () => {
  it('has its parts in the order of the format, whatever they contain', () => {
    const parts = { login: 'l-port', password: 'hostname', hostname: 'a.example', port: 20_000 }
    expect(proxyFormats.map((format) => formatLine(format, parts))).toEqual([
      'l-port:hostname:a.example:20000',
      'l-port:hostname@a.example:20000',
      'a.example:20000@l-port:hostname',
      'a.example:20000:l-port:hostname',
      'a.example:20000',
    ])
  })

  it.each(proxyFormats)('in the format %s is parsed back to its parts', (format) => {
    fc.assert(
      fc.property(line, ({ login, password, hostname, port }) => {
        const credentials = format === 'hostname:port' ? null : { login, password }
        const text = formatLine(format, { login, password, hostname, port })
        expect(parseLine(format, text)).toEqual({ hostname, port, credentials })
      }),
    )
  })

  it('of another format is not parsed', () => {
    expect(parseLine('hostname:port', 'hello')).toBeNull()
    expect(parseLine('login:password@hostname:port', 'a.example:20000')).toBeNull()
  })
})
