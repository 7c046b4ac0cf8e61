/** The line in the log of each tunnel, as a gateway's log writes it. */
import { describe, expect, it } from 'vitest'
import type { ConnectionLog } from '#feed/connection.record'
import type { BulkLines, Log } from '#lib/log'
import { TextBuffer } from '#lib/text.buffer'
import { Counters } from './records/counters.ts'
import { Trace } from './records/trace.ts'
import type { Session } from './session.ts'
import { SessionReports } from './session.reports.ts'

const silent = { debug() {}, warn() {}, error() {} }

/** A log that takes lines in bulk, and one that takes objects. */
function logs(lines: unknown[]): Log[] {
  const infoInBulk =
    <T>({ message, atMs, fields }: BulkLines<T>) =>
    (event: T) => {
      const line = new TextBuffer(16)
      fields(line, event)
      const made = JSON.parse(`{${line.take().slice(1)}}`) as { duration_ms: number }
      expect(message).toBe('tunnel ended')
      expect(Math.abs(Date.now() - atMs(event))).toBeLessThan(1000)
      lines.push(made)
    }
  const refuse = () => {
    throw new Error('not as an object')
  }
  return [
    { ...silent, info: refuse, infoInBulk },
    { ...silent, info: (line) => void lines.push(line) },
  ]
}

function session({ login, target, withheld = false }: { login: string; target: string; withheld?: boolean }) {
  const trace = new Trace('socks5')
  trace.client = { pool: 'mobile', address: '2001:db8::1', port: 65_535 }
  trace.multiplier = 2
  const owner = { access: 2n ** 60n, owner: null, login }
  trace.belongsTo(withheld ? { ...owner, withholds_hosts: true } : owner)
  trace.target = target
  trace.exit = 7n
  const charge = { firstByteAt: null, forgivenBytes: 12 }
  return { trace, charge, stopReason: null, end: () => true } as unknown as Session
}

/** The same line from both logs. */
function lineOf(one: Parameters<typeof session>[0], tells: ConnectionLog): Record<string, unknown> {
  const lines: Record<string, unknown>[] = []
  for (const log of logs(lines)) {
    const ended = session(one)
    const reports = new SessionReports(new Counters(), { keep: () => undefined }, log, tells)
    reports.ended(ended, { target: one.target, reason: 'done', upBytes: 0, downBytes: 2 ** 40 })
    expect(lines.at(-1)?.['request_id']).toBe(ended.trace.id)
    delete lines.at(-1)?.['request_id']
  }
  const [inBulk, object] = lines
  expect(inBulk).toEqual({ ...object, duration_ms: inBulk?.['duration_ms'] })
  return inBulk ?? {}
}

describe('the line of a tunnel that has ended', () => {
  it.each([
    ['in bulk', { infoInBulk: () => null }],
    ['as an object', { isLevelEnabled: () => false }],
  ])('is not made %s when lines of its level are not written', (_how, asked) => {
    const log: Log = { ...silent, info: () => expect.unreachable(), ...asked }
    const reports = new SessionReports(new Counters(), { keep: () => undefined }, log)
    reports.ended(session({ login: 'a', target: 'a:1' }), {
      target: 'a:1',
      reason: 'done',
      upBytes: 0,
      downBytes: 0,
    })
  })

  it('has all facts of the tunnel, with any text, and exact numbers', () => {
    const login = 'quote " back \\ line \n é 漢'
    const line = lineOf({ login, target: '[2001:db8::2]:443' }, 'full')
    expect(line).toEqual({
      account: null,
      access: String(2n ** 60n),
      login,
      pool: 'mobile',
      protocol: 'socks5',
      client: '2001:db8::1',
      client_port: 65_535,
      target: '[2001:db8::2]:443',
      exit: '7',
      bytes_up: 0,
      bytes_down: 2 ** 40,
      bytes_forgiven: 12,
      multiplier: 2,
      connected_ms: null,
      first_byte_ms: null,
      duration_ms: expect.any(Number) as number,
      reason: 'done',
    })
  })

  it.each([
    ['host', { target: 'example.com' }],
    ['none', {}],
  ] as const)('contains the facts that CONNECTION_LOG=%s allows', (tells, told) => {
    const { client, client_port, target } = lineOf({ login: 'a', target: 'example.com:443' }, tells)
    expect({ client, client_port, target }).toEqual({ client: undefined, client_port: undefined, ...told })
  })

  it('does not contain the target when its customer withholds hosts', () => {
    const line = lineOf({ login: 'a', target: 'example.com:443', withheld: true }, 'full')
    expect(line['target']).toBe('(withheld)')
  })
})
