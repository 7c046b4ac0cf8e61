/** How a boot begins: with what the ones before it left behind. */

import { type Feed, FeedFailed, type Report, ReportRefused } from '#feed'
import { putAside, replayJournals } from './journal.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 2000
/** A report that failed so often is not settled by trying on. */
const MOST_FAILURES = 20

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Settles what earlier boots left behind, then introduces this one; tries until the feed answers or `given up`. */
export async function introduce(options: {
  feed: Feed
  identity: { gateway: string; boot: string }
  directory: string
  givenUp: () => boolean
  onFault: (what: string, fault: unknown) => void
  onRefused: (report: Report, fault: Error) => void
}): Promise<void> {
  const failures = new Map<string, number>()
  const keyOf = (boot: string, sequence: number) => `${boot} ${sequence}`
  /** It has failed again and again, and the server answers everything else: nothing else could be settled behind it. */
  const isHopeless = async ({ boot, sequence }: Report): Promise<boolean> => {
    const count = (failures.get(keyOf(boot, sequence)) ?? 0) + 1
    failures.set(keyOf(boot, sequence), count)
    if (count < MOST_FAILURES) return false
    return await options.feed.heartbeat(options.identity).then(
      () => true,
      () => false,
    )
  }
  /** On a bad line an attempt seldom gets through whole: what it did settle need not be sent again. */
  const settled = new Set<string>()
  const send = async (report: Report): Promise<void> => {
    const key = keyOf(report.boot, report.sequence)
    if (settled.has(key)) return
    try {
      await options.feed.report(report)
      settled.add(key)
      failures.delete(key)
    } catch (fault) {
      const isFinal =
        fault instanceof ReportRefused || (fault instanceof FeedFailed && (await isHopeless(report)))
      if (!isFinal) throw fault
      putAside(options, report, fault.message)
      options.onRefused(report, fault)
    }
  }
  let waitMs = FIRST_RETRY_MS
  while (!options.givenUp()) {
    try {
      await replayJournals({
        directory: options.directory,
        identity: options.identity,
        send,
      })
      await options.feed.hello(options.identity)
      return
    } catch (fault) {
      // Nothing may be leased before the old leases are settled, so we go on trying.
      options.onFault('hello', fault)
      await pause(waitMs)
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)
    }
  }
}
