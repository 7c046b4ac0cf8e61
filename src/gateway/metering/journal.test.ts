import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Report } from '#feed'
import { replayDeadLetters } from './dead.letters.ts'
import { Journal, parseJournal } from './journal.ts'
import { replayJournals } from './journal.replay.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const identity = (boot: string, gateway = 'g1') => ({ gateway, boot })

function report(boot: string, sequence: number, lines = 1, gateway = 'g1'): Report {
  const line = { lease: 2n ** 60n, access: 7n, charged_bytes: BigInt(sequence), requests: 1, close: false }
  return { ...identity(boot, gateway), sequence, at_ms: 1, lines: Array.from({ length: lines }, () => line) }
}

const journalOf = (boot: string, gateway = 'g1') =>
  new Journal({
    directory,
    identity: identity(boot, gateway),
    onFault(fault) {
      throw fault
    },
  })

async function replay(gateway = 'g1'): Promise<Report[]> {
  const sent: Report[] = []
  await replayJournals({
    directory,
    identity: identity('now', gateway),
    send: async (each) => void sent.push(each),
  })
  return sent
}

it('the journal and the dead letters, sent again too, are readable by their owner only', async () => {
  const modes = () =>
    Object.fromEntries(
      readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]),
    )
  const journal = journalOf('b1')
  journal.append(report('b1', 1))
  journal.appendDeadLetter(report('b1', 2), 'refused')
  expect(modes()).toEqual({ 'g1.b1.000001.journal': 0o600, 'g1.refused': 0o600 })
  journal.close({ settled: true })
  // A file of dead letters is made again for a line that cannot be read, and for a report that fails again.
  writeFileSync(join(directory, 'g2.refused'), 'unreadable\n')
  await replayDeadLetters({ directory, send: () => Promise.reject(new Error('refused again')) })
  expect(modes()).toEqual({ 'g1.refused': 0o600, 'g2.refused': 0o600 })
})

it('the journal returns the written reports, up to an incomplete line', () => {
  const journal = journalOf('b1')
  const reports = [1, 2, 3].map((sequence) => report('b1', sequence))
  for (const each of reports) journal.append(each)
  journal.close({ settled: false })
  const text = readFileSync(join(directory, 'g1.b1.000001.journal'), 'utf8')
  const lineLength = text.length / 3
  expect(parseJournal(text)).toEqual(reports)
  fc.assert(
    fc.property(fc.nat(text.length), (cut) => {
      // A line is complete with its last character, before its line end.
      const whole = Math.floor((cut + 1) / lineLength)
      expect(parseJournal(text.slice(0, cut))).toEqual(reports.slice(0, whole))
    }),
  )
  fc.assert(
    fc.property(fc.nat(text.length - 2), (at) => {
      if (text[at] === '\n') return
      const spoiled = `${text.slice(0, at)}#${text.slice(at + 1)}`
      expect(parseJournal(spoiled)).toEqual(reports.slice(0, Math.floor(at / lineLength)))
    }),
  )
})

it('the journal of earlier boots is sent and removed; other gateways keep theirs', async () => {
  for (const [boot, gateway] of [
    ['b1', 'g1'],
    ['b2', 'g1'],
    ['b1', 'g2'],
    ['b1', 'g1.x'],
  ] as const) {
    const journal = journalOf(boot, gateway)
    journal.append(report(boot, 1, 1, gateway))
    journal.append(report(boot, 2, 1, gateway))
    journal.close({ settled: false })
  }
  const sent = await replay()
  expect(sent.map((each) => `${each.boot} ${each.sequence}`)).toEqual(['b1 1', 'b1 2', 'b2 1', 'b2 2'])
  expect(readdirSync(directory).toSorted()).toEqual(['g1.x.b1.000001.journal', 'g2.b1.000001.journal'])
  expect(await replay()).toEqual([])
})

it('the journal stays until its reports are settled', async () => {
  const journal = journalOf('b1')
  journal.append(report('b1', 1))
  journal.close({ settled: false })
  const away = {
    directory,
    identity: identity('now'),
    send: () => Promise.reject(new Error('the feed is away')),
  }
  await expect(replayJournals(away)).rejects.toThrow('the feed is away')
  expect(await replay()).toHaveLength(1)
})

it('the journal with only an incomplete line is empty', async () => {
  writeFileSync(join(directory, 'g1.b1.journal'), '0badc0de {"gate')
  expect(await replay()).toEqual([])
  expect(readdirSync(directory)).toEqual([])
})

it('the journal continues in another file when one is full, and removes settled files', async () => {
  const journal = journalOf('b1')
  const files = () => readdirSync(directory).toSorted()
  const large = 20_000
  journal.append(report('b1', 1))
  journal.settledThrough(1)
  expect(files()).toEqual(['g1.b1.000001.journal'])
  journal.append(report('b1', 2, large))
  journal.append(report('b1', 3))
  expect(files()).toEqual(['g1.b1.000001.journal', 'g1.b1.000002.journal'])
  journal.settledThrough(1)
  expect(files()).toHaveLength(2)
  // Under constant load there is always an unsettled report.
  journal.settledThrough(2)
  expect(files()).toEqual(['g1.b1.000002.journal'])
  journal.append(report('b1', 4, large))
  journal.settledThrough(4)
  expect(files()).toEqual([])
  journal.append(report('b1', 5, large))
  journal.append(report('b1', 6))
  journal.close({ settled: false })
  expect((await replay()).map((each) => each.sequence)).toEqual([5, 6])
  expect(files()).toEqual([])
})

it('the journal leaves no file behind when all is settled at the end', () => {
  const journal = journalOf('b1')
  journal.append(report('b1', 1, 20_000))
  journal.append(report('b1', 2))
  journal.close({ settled: true })
  expect(readdirSync(directory)).toEqual([])
})

it('the journal sends many reports without waiting for each answer', async () => {
  const journal = journalOf('b1')
  for (let sequence = 1; sequence <= 600; sequence++) journal.append(report('b1', sequence))
  journal.close({ settled: false })
  const sent: number[] = []
  let open = 0
  let most = 0
  await replayJournals({
    directory,
    identity: identity('now'),
    send: async (each) => {
      sent.push(each.sequence)
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve, 5))
      open--
    },
  })
  expect(sent).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
  expect(most).toBe(256)
})
