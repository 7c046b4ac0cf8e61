import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { Journal, readJournal } from './journal.ts'
import type { AccountLease } from './account.lease.ts'
import { Meter } from './meter.ts'
import { Reporter } from './reporter.ts'
import { MemoryFeed } from '#feed/testing'

const identity = { gateway: 'g1', boot: 'b1' }

it('the saver keeps settled reports in the journal that are newer than the saved leases', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'gateway-'))
  const feed = new MemoryFeed()
  const account = feed.addAccount('alice1', 'secret', 1_000_000n)
  const fail = (what: unknown) => {
    throw new Error(String(what))
  }
  const meter = new Meter({ feed, identity, onFault: fail, isAway: () => false })
  const settled: number[] = []
  const journal = new Journal({ directory, identity, onFault: fail })
  const saver = { savedThrough: 2, drop: () => (saver.savedThrough = Infinity) }
  const reporter = new Reporter({
    feed,
    identity,
    meter,
    journal: {
      append: (report) => journal.append(report),
      appendDeadLetter: fail,
      close: (how) => journal.close(how),
      settledThrough: (sequence) => {
        settled.push(sequence)
        journal.settledThrough(sequence)
      },
    },
    onFault: fail,
    onRefused: fail,
    saver,
  })
  const lease = meter.hold(account.access) as AccountLease
  await lease.more(1)
  for (let sequence = 1; sequence <= 4; sequence++) {
    lease.reserve(10, 1)
    lease.settle(10)
    reporter.tick({ closeAll: false })
    await eventually(() => settled.length === sequence, 'the report to be settled')
  }
  expect(settled).toEqual([1, 2, 2, 2])
  expect(reporter.sequence).toBe(4)
  expect(meter.kept()).toMatchObject([{ access: account.access, bytes: Number(lease.heldBytes) }])
  expect(readJournal({ directory, identity })).toHaveLength(4)
  await reporter.stop({ patienceMs: 1000 })
  expect(saver.savedThrough).toBe(Infinity)
  expect(readdirSync(directory)).toEqual([])
  expect(feed.faults).toEqual([])
  rmSync(directory, { recursive: true, force: true })
})
