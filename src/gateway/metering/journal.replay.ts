/**
 * The start of a boot: settles the reports that earlier boots left in their journals, and announces the boot.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Feed, FeedFailed, type Report, ReportRefused } from '#feed'
import { appendDeadLetter } from './dead.letters.ts'
import { parseJournal } from './journal.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2000
/** A report that failed this often becomes a dead letter. */
const MOST_FAILURES = 20
/** Reports under way at once: a journal of hours is sent in seconds. */
const MOST_AT_ONCE = 256

interface Identity {
  gateway: string
  boot: string
}

/**
 * Sends the reports of all earlier boots of this gateway, in the order of their numbers, and removes their
 * journals. A report that had been settled before is sent again under its number, which changes nothing.
 */
export async function replayJournals(options: {
  directory: string
  identity: Identity
  send: (report: Report) => Promise<void>
}): Promise<number> {
  mkdirSync(options.directory, { recursive: true })
  const { gateway, boot } = options.identity
  const files = readdirSync(options.directory).filter(
    (file) =>
      file.startsWith(`${gateway}.`) && file.endsWith('.journal') && !file.startsWith(`${gateway}.${boot}.`),
  )
  let replayed = 0
  for (const file of files.toSorted()) {
    const path = join(options.directory, file)
    const reports = parseJournal(readFileSync(path, 'utf8'))
    // The name alone is ambiguous ("a" and "a.b"): the reports name their gateway.
    if (reports.some((report) => report.gateway !== gateway)) continue
    for (let from = 0; from < reports.length; from += MOST_AT_ONCE)
      await Promise.all(reports.slice(from, from + MOST_AT_ONCE).map((report) => options.send(report)))
    replayed += reports.length
    rmSync(path)
  }
  return replayed
}

/**
 * Replays the journals of earlier boots, then calls `hello`, which lets the server close their leases. Tries
 * until both succeed, or until `isGivenUp`: nothing may be leased before.
 */
export async function announceBoot(options: {
  feed: Feed
  identity: Identity
  directory: string
  isGivenUp: () => boolean
  onFault: (what: string, fault: unknown) => void
  onRefused: (report: Report, fault: Error) => void
}): Promise<void> {
  const failures = new Map<string, number>()
  const keyOf = ({ boot, sequence }: Report) => `${boot} ${sequence}`
  /**
   * Whether it failed repeatedly while the server answers other calls: it must not block the reports behind
   * it.
   */
  const isHopeless = async (report: Report): Promise<boolean> => {
    const count = (failures.get(keyOf(report)) ?? 0) + 1
    failures.set(keyOf(report), count)
    if (count < MOST_FAILURES) return false
    return await options.feed.heartbeat(options.identity).then(
      () => true,
      () => false,
    )
  }
  /**
   * Over an unreliable connection an attempt seldom succeeds completely: settled reports are not sent again.
   */
  const settled = new Set<string>()
  const send = async (report: Report): Promise<void> => {
    const key = keyOf(report)
    if (settled.has(key)) return
    try {
      await options.feed.report(report)
      settled.add(key)
      failures.delete(key)
    } catch (error) {
      const isFinal =
        error instanceof ReportRefused || (error instanceof FeedFailed && (await isHopeless(report)))
      if (!isFinal) throw error
      appendDeadLetter(options, report, error.message)
      options.onRefused(report, error)
    }
  }
  let waitMs = FIRST_RETRY_MS
  while (!options.isGivenUp()) {
    try {
      await replayJournals({ directory: options.directory, identity: options.identity, send })
      await options.feed.hello(options.identity)
      return
    } catch (error) {
      options.onFault('hello', error)
      await sleep(waitMs)
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)
    }
  }
}
