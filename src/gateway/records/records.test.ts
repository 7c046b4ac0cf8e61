import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type RecordBatch, ReportRefused } from '#feed'
import { parseConnection } from '#feed/connection.record'
import { Records } from './records.ts'
import { Trace } from './trace.ts'

/** A server that takes a batch, and may lose its answer or be away. */
class Server {
  mode: 'well' | 'away' | 'answer lost' | 'refuses' = 'well'
  readonly sent: RecordBatch[] = []
  readonly taken = new Map<number, RecordBatch>()

  async record(batch: RecordBatch): Promise<void> {
    this.sent.push(batch)
    const number = batch.batch.number
    if (this.mode === 'refuses') throw new ReportRefused('no record')
    if (this.mode === 'away') throw new Error('away')
    if (!this.taken.has(number)) this.taken.set(number, batch)
    if (this.mode === 'answer lost') throw new Error('the answer is lost')
  }

  ids(): string[] {
    return [...this.taken.values()]
      .flatMap(({ batch }) => (batch.lines === '' ? [] : batch.lines.split('\n')))
      .map((line) => parseConnection(line).id)
  }

  unkept(): number {
    return [...this.taken.values()]
      .flatMap(({ unkept }) => unkept)
      .reduce((sum, one) => sum + one.requests, 0)
  }
}

function ended(access: bigint | null = 1n): Trace {
  const trace = new Trace('connect')
  trace.client = { pool: 'mobile', address: '192.0.2.1', port: 1234 }
  if (access !== null) trace.belongsTo({ access, owner: 9n, login: 'a' })
  trace.target = 'a\tb\nc:443'
  trace.ended({ outcome: 'done', upBytes: 1, downBytes: 2, forgivenBytes: 0 })
  return trace
}

function keep(records: Records, count: number): string[] {
  return Array.from({ length: count }, () => {
    const trace = ended()
    records.keep(trace)
    records.keep(trace)
    return trace.id
  })
}

const make = (feed: Server, mostChars?: number) =>
  new Records({
    feed,
    gateway: 'gw1',
    boot: 'b1',
    onFault: () => undefined,
    ...(mostChars === undefined ? {} : { mostChars }),
  })

describe('records of connections', () => {
  it('are sent once each, of authenticated clients only, and no text of a client divides a line', async () => {
    const server = new Server()
    const records = make(server)
    records.keep(ended(null))
    const ids = keep(records, 3)
    await records.flush()
    await records.flush()
    expect(server.ids()).toEqual(ids)
    expect(server.sent).toHaveLength(1)
    expect(parseConnection(server.sent[0]?.batch?.lines.split('\n')[0] ?? '').target).toBe('a?b?c:443')
    expect([records.kept, records.dropped]).toEqual([3, 0])
  })

  it('are printed many at a time, with refusals of the same turn, and sent in batches of 2,000', async () => {
    const server = new Server()
    const records = make(server)
    const ids: string[] = []
    for (let round = 0; round < 41; round++) {
      const refused = ended()
      records.keep(refused)
      ids.push(refused.id, ...keep(records, 99))
      await Promise.resolve()
      refused.refusal = { status: 502, code: 'exit_failed', sentence: 'it failed' }
      await setImmediate()
    }
    await records.flush()
    expect(server.ids()).toEqual(ids)
    const batches = server.sent.map(({ batch }) => (batch?.lines ?? '').split('\n').map(parseConnection))
    expect(batches.map((lines) => lines.length)).toEqual([2000, 2000, 100])
    expect(batches.flat().filter(({ code }) => code === 'exit_failed')).toHaveLength(41)
    expect(records.kept).toBe(4100)
  })

  it('are sent again under the same number when an answer was lost', async () => {
    const server = new Server()
    const records = make(server)
    const ids = keep(records, 2)
    server.mode = 'answer lost'
    await records.flush()
    ids.push(...keep(records, 1))
    server.mode = 'well'
    await records.flush()
    expect(server.sent.map(({ batch }) => batch?.number)).toEqual([1, 1, 2])
    expect(server.ids()).toEqual(ids)
  })

  it('are dropped oldest first beyond the bound, and counted', async () => {
    const server = new Server()
    server.mode = 'away'
    const records = make(server, 1000)
    const ids: string[] = []
    for (let batch = 0; batch < 20; batch++) {
      ids.push(...keep(records, 2))
      await records.flush()
    }
    expect(records.dropped).toBeGreaterThan(30)
    server.mode = 'well'
    await records.flush()
    await records.flush()
    expect(server.ids()).toEqual(ids.slice(records.dropped))
    expect(server.unkept()).toBe(records.dropped)
    expect(records.kept + records.dropped).toBe(40)
  })

  it('do not block those behind them when the server refuses them for good', async () => {
    const server = new Server()
    const records = make(server)
    keep(records, 2)
    server.mode = 'refuses'
    await records.flush()
    server.mode = 'well'
    const ids = keep(records, 1)
    await records.flush()
    await records.flush()
    expect(server.ids()).toEqual(ids)
    expect([records.kept, records.dropped, server.unkept()]).toEqual([1, 2, 2])
  })
})
