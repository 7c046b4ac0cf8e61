import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#test/eventually'
import { Answers } from '../exits/answers.ts'
import { exitFailure } from '../exits/failure.ts'
import { listDeadLetters, replayDeadLetters } from './dead.letters.ts'
import { FeedFailed, type Report, ReportRefused } from '#feed'
import { Journal } from './journal.ts'
import { Meter } from './meter.ts'
import type { AccountLease } from './account.lease.ts'
import { announceBoot } from './journal.replay.ts'
import { Reporter } from './reporter.ts'
import { MemoryFeed } from '#feed/testing'
import type { ExitAnswers } from '#feed/exit.answers'
import { decode } from '#feed/frames'

const identity = { gateway: 'g1', boot: 'b1' }

let directory: string
let feed: MemoryFeed
let journal: Journal
let reporter: Reporter
let lease: AccountLease
let faults: string[]
let refused: number[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reporter-'))
  faults = []
  refused = []
  feed = new MemoryFeed()
  feed.addAccount('alice1', 'secret', 1_000_000n)
  journal = new Journal({ directory, identity, onFault: () => faults.push('sync') })
  const meter = new Meter({ feed, identity })
  reporter = new Reporter({
    feed,
    identity,
    meter,
    journal,
    onFault: (what) => faults.push(what),
    onRefused: (report) => refused.push(report.sequence),
  })
  lease = meter.hold(1n) as AccountLease
  await lease.more(1)
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function spend(bytes: number): void {
  lease.settle(lease.reserve(bytes, 1))
  reporter.tick({ closeAll: false })
}

const deadLetters = (): { reason: string; report: Report }[] =>
  readFileSync(join(directory, 'g1.refused'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => decode(line) as { reason: string; report: Report })

describe('a report that fails repeatedly', () => {
  /** Makes reports with these numbers fail, as a database does with a row that it rejects. */
  const spoil = (...numbers: number[]) => {
    const report = feed.report.bind(feed)
    feed.report = (one) =>
      numbers.includes(one.sequence) ? Promise.reject(new FeedFailed('value out of range')) : report(one)
    return () => (feed.report = report)
  }

  it('becomes a dead letter when as many others are settled meanwhile, and can be replayed', async () => {
    const mend = spoil(2)
    spend(1)
    spend(20)
    while (refused.length === 0) {
      spend(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(refused).toEqual([2])
    expect(listDeadLetters(directory)).toMatchObject([
      { reason: 'value out of range', report: { sequence: 2 } },
    ])
    mend()
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
    const before = feed.charged.get(1n) ?? 0n
    // The server keeps a closed lease, so that a late report still finds it.
    feed.leases.set(1n, { id: 1n, gateway: 'g1 b1', access: 1n, granted: 20n, left: 20n })
    const send = (report: Report) => feed.report(report)
    expect(await replayDeadLetters({ directory, send })).toEqual({ settled: 1, failed: [] })
    expect(feed.charged.get(1n)).toBe(before + 20n)
    expect(await replayDeadLetters({ directory, send })).toEqual({ settled: 0, failed: [] })
    expect(feed.charged.get(1n)).toBe(before + 20n)
  })

  it('does not become a dead letter because a connection breaks repeatedly', async () => {
    const report = feed.report.bind(feed)
    let left = 40
    feed.report = (one) =>
      one.sequence === 1 && left-- > 0 ? Promise.reject(new Error('the connection broke')) : report(one)
    spend(20)
    while (left > 0) {
      spend(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    lease.holders--
    await reporter.stop({ patienceMs: 5000 })
    expect(refused).toEqual([])
    expect(reporter.lag).toBe(0)
  }, 120_000)

  it('does not become a dead letter while nothing else is settled either', async () => {
    const mend = spoil(1)
    spend(20)
    await eventually(() => faults.filter((what) => what === 'report').length >= 3, 'some failures')
    expect(refused).toEqual([])
    mend()
    await eventually(() => feed.charged.get(1n) === 20n, 'the report')
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
  })

  it('does not become a dead letter because the server settled nothing for long, and failed on it once more at first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const turns = async () => {
      for (let at = 0; at < 60; at++) await new Promise((resolve) => setImmediate(resolve))
    }
    const report = feed.report.bind(feed)
    let failures = 0
    feed.report = () => {
      failures++
      return Promise.reject(new FeedFailed('the database is away'))
    }
    for (let at = 0; at < 30; at++) spend(1)
    for (let at = 0; at < 25; at++) {
      vi.advanceTimersByTime(2000)
      await turns()
    }
    expect(failures).toBeGreaterThan(20 * 30)
    let isFirst = true
    feed.report = async (one) => {
      if (one.sequence !== 1 || !isFirst) return await report(one)
      isFirst = false
      while (feed.reports < 29) await new Promise((resolve) => setImmediate(resolve))
      throw new FeedFailed('the connection was cut')
    }
    for (let at = 0; at < 3; at++) {
      vi.advanceTimersByTime(2000)
      await turns()
    }
    vi.useRealTimers()
    expect(refused).toEqual([])
    expect(feed.charged.get(1n)).toBe(30n)
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
  })

  it('stays a dead letter while it fails, and a line that cannot be read stays too', async () => {
    const path = join(directory, 'g1.refused')
    journal.appendDeadLetter({ ...identity, sequence: 1, at_ms: 0, lines: [] }, 'first')
    appendFileSync(path, 'torn {"re\n')
    // The file of an earlier run that was killed while it was sending.
    writeFileSync(`${path}.sending`, readFileSync(path, 'utf8').replace('"sequence":1', '"sequence":7'))
    const send = () => Promise.reject(new Error('still'))
    const { settled, failed } = await replayDeadLetters({ directory, send })
    expect(settled).toBe(0)
    expect(failed.map(({ report, reason }) => [report.sequence, reason])).toEqual([
      [1, 'still'],
      [7, 'still'],
    ])
    expect(listDeadLetters(directory).map(({ report }) => report.sequence)).toEqual([1, 7])
    expect(readFileSync(path, 'utf8').match(/torn/g)).toHaveLength(2)
    expect(readdirSync(directory).filter((file) => file.endsWith('.sending'))).toEqual([])
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
  })
})

describe('reports that wait during an outage', () => {
  it('are made less often when there are very many lines, and nothing of them is lost', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const written: Report[] = []
    let collected = 0
    const lines = Array.from({ length: 60_000 }, (_, at) => ({
      lease: BigInt(at + 1),
      access: BigInt(at + 1),
      charged_bytes: 1n,
      requests: 1,
      close: false,
    }))
    const meter = Object.assign(new Meter({ feed, identity }), {
      collect: () => {
        collected++
        return lines
      },
    })
    feed.report = () => new Promise(() => undefined)
    const journalOf = { append: (report: Report) => void written.push(report) }
    const nothing = { settledThrough() {}, appendDeadLetter() {}, close() {} }
    const quiet = { onFault() {}, onRefused() {} }
    const busy = new Reporter({ feed, identity, meter, journal: { ...journalOf, ...nothing }, ...quiet })
    for (let ms = 0; ms < 120_000; ms += 50) {
      busy.tick({ closeAll: false })
      vi.advanceTimersByTime(50)
    }
    vi.useRealTimers()
    // Twenty a second would be 2400 of them.
    expect(written.length).toBeLessThan(40)
    expect(written.length).toBeGreaterThan(20)
    // Bytes relayed in between are in the next report: no collected lines were discarded.
    expect(collected).toBe(written.length)
    expect(written.map(({ sequence }) => sequence)).toEqual(written.map((_, at) => at + 1))
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
  })
})

describe('a heartbeat', () => {
  it('reports how exits answered, and repeats what it could not report', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const answers = new Answers()
      const told: unknown[] = []
      let isAway = true
      feed.heartbeat = ({ live }) => {
        if (isAway) return Promise.reject(new Error('away'))
        told.push(live?.exits)
        return Promise.resolve()
      }
      answers.answered(7n, 30)
      reporter.start({ answers })
      vi.advanceTimersByTime(5000)
      await eventually(() => faults.includes('heartbeat'), 'the failure')
      isAway = false
      answers.failed(7n, exitFailure('failed', { status: 502, word: 'down' }), null)
      vi.advanceTimersByTime(10_000)
      await eventually(() => told.length === 2, 'the heartbeats')
      expect(told).toEqual([
        [
          {
            exit: 7n,
            failed: 1,
            answered: expect.any(Array) as number[],
            last: { code: 'exit_failed', status: 502, word: 'down' },
          },
        ],
        undefined,
      ])
      expect((told[0] as ExitAnswers[])[0]?.answered.reduce((sum, count) => sum + count)).toBe(1)
      lease.holders--
      await reporter.stop({ patienceMs: 2000 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('sends the number up to which all reports are settled, and never counts past a dead letter', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      reporter.start()
      const beat = async () => {
        vi.advanceTimersByTime(5000)
        await eventually(() => feed.acknowledged !== undefined, 'the heartbeat')
        const told = feed.acknowledged
        feed.acknowledged = undefined
        return told
      }
      expect(await beat()).toBe(0)
      for (let count = 0; count < 3; count++) spend(1)
      await eventually(() => reporter.lag === 0, 'the reports')
      expect(await beat()).toBe(3)
      const report = feed.report.bind(feed)
      feed.report = (one) =>
        one.sequence === 4 ? Promise.reject(new ReportRefused('an unknown lease')) : report(one)
      for (let count = 0; count < 3; count++) spend(1)
      await eventually(() => reporter.lag === 0, 'the reports')
      expect(refused).toEqual([4])
      expect(await beat()).toBe(3)
      lease.holders--
      await reporter.stop({ patienceMs: 2000 })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the reporter', () => {
  it('keeps counting while the disk is full, and writes and reports everything afterwards, in order', async () => {
    const written: Report[] = []
    let full = false
    const append = journal.append.bind(journal)
    journal.append = (report) => {
      if (full) throw new Error('ENOSPC')
      append(report)
      written.push(report)
    }
    spend(100)
    full = true
    spend(200)
    expect(reporter.healthy).toBe(false)
    spend(300)
    await eventually(() => feed.charged.get(1n) === 100n, 'the first report')
    full = false
    reporter.tick({ closeAll: false })
    expect(reporter.healthy).toBe(true)
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
    expect(feed.charged.get(1n)).toBe(600n)
    expect(written.map((report) => report.sequence)).toEqual(written.map((_report, index) => index + 1))
    expect(faults).toEqual(['journal', 'journal'])
    expect(feed.leases.size).toBe(0)
    expect(reporter.lag).toBe(0)
  })

  it('sends again what the server did not confirm, and it counts once', async () => {
    const report = feed.report.bind(feed)
    let lost = 2
    feed.report = async (sent) => {
      await report(sent)
      if (lost-- > 0) throw new Error('the answer was lost')
    }
    spend(100)
    await reporter.stop({ patienceMs: 5000 })
    expect(feed.charged.get(1n)).toBe(100n)
    expect(feed.faults).toEqual([])
  })

  it('does not wait for one answer before it sends the next report', async () => {
    const sent: number[] = []
    const answers: (() => void)[] = []
    const report = feed.report.bind(feed)
    feed.report = async (each) => {
      sent.push(each.sequence)
      await new Promise<void>((resolve) => answers.push(resolve))
      await report(each)
    }
    for (let round = 0; round < 300; round++) spend(10)
    expect(sent).toEqual(Array.from({ length: 256 }, (_, index) => index + 1))
    expect(reporter.lag).toBe(300)
    // Answers may arrive in another order; the journal is kept for the oldest unsettled report.
    answers[1]?.()
    await eventually(() => sent.length === 257, 'the next report')
    expect(readdirSync(directory)).toHaveLength(1)
    const release = setInterval(() => answers.forEach((answer) => answer()), 5)
    await reporter.stop({ patienceMs: 5000 })
    clearInterval(release)
    expect(sent.toSorted((a, b) => a - b)).toEqual(sent)
    expect(feed.charged.get(1n)).toBe(3000n)
    expect(readdirSync(directory)).toEqual([])
  })

  it('reports once that the feed is unavailable, waits, and sends all in order afterwards', async () => {
    feed.away = true
    for (let round = 0; round < 50; round++) spend(10)
    await eventually(() => faults.length > 0, 'a failure')
    spend(10)
    expect(faults).toEqual(['report'])
    feed.away = false
    await reporter.stop({ patienceMs: 5000 })
    expect(feed.charged.get(1n)).toBe(510n)
    expect(readdirSync(directory)).toEqual([])
  })

  it('makes a finally refused report a dead letter, and continues', async () => {
    feed.refused.add(2)
    for (const bytes of [100, 200, 300]) spend(bytes)
    lease.holders--
    await reporter.stop({ patienceMs: 2000 })
    expect(refused).toEqual([2])
    expect(faults).toEqual([])
    expect(feed.charged.get(1n)).toBe(400n)
    expect(reporter.lag).toBe(0)
    const [kept, ...others] = deadLetters()
    expect(others).toEqual([])
    expect(kept?.reason).toBe('report 2 makes no sense')
    expect(kept?.report).toMatchObject({
      ...identity,
      sequence: 2,
      lines: [{ access: 1n, charged_bytes: 200n }],
    })
    // The journal is settled; the dead letter stays for the operator.
    expect(readdirSync(directory)).toEqual(['g1.refused'])
  })

  it('retries a refused report when the dead letter cannot be written', async () => {
    feed.refused.add(1)
    const keep = journal.appendDeadLetter.bind(journal)
    let full = true
    journal.appendDeadLetter = (report, reason) => {
      if (full) throw new Error('ENOSPC')
      keep(report, reason)
    }
    spend(100)
    await eventually(() => faults.length > 0, 'the failure')
    expect(reporter.lag).toBe(1)
    full = false
    await eventually(() => refused.length === 1, 'the report to be put aside')
    await reporter.stop({ patienceMs: 2000 })
    expect(deadLetters()).toHaveLength(1)
  })

  it('starts despite an old report that is finally refused', async () => {
    for (const sequence of [1, 2, 3]) {
      const line = { lease: 1n, access: 1n, charged_bytes: 100n, requests: 1, close: false }
      journal.append({ ...identity, sequence, at_ms: 0, lines: [line] })
    }
    journal.close({ settled: false })
    feed.refused.add(1)
    await announceBoot({
      feed,
      identity: { gateway: 'g1', boot: 'b2' },
      directory,
      isGivenUp: () => false,
      onFault: (what) => faults.push(what),
      onRefused: (report) => refused.push(report.sequence),
    })
    expect(refused).toEqual([1])
    expect(deadLetters()).toHaveLength(1)
    expect(feed.charged.get(1n)).toBe(200n)
    expect(readdirSync(directory)).toEqual(['g1.refused'])
  })
})
