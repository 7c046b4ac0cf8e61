/**
 * A start while the server is unavailable. The process continues the boot that ended before it: with its
 * leases, less the bytes that the journal shows as spent since they were saved, and with its report numbers.
 * This is safe without the server: every report was in the journal before it was sent, and none newer than
 * the saved leases is removed, so the next number was never used.
 */

import type { Feed, Report } from '#feed'
import { withTimeout } from '#lib/timeout'
import type { KeptLease } from './kept.lease.ts'
import { readJournal } from './journal.ts'
import type { KnownData, OfflineState } from './offline.state.ts'

export interface Resumed {
  boot: string
  /** The number of the last report. */
  sequence: number
  /** The last report that the saved leases include. */
  savedThrough: number
  /** Reports in the journal; some may be settled already, which a repetition does not change. */
  reports: Report[]
  leases: KeptLease[]
  known: KnownData
}

const PATIENCE_MS = 3000

/** Whether the server answers a call in time. */
export async function serverAnswers(feed: Pick<Feed, 'exits'>, patienceMs = PATIENCE_MS): Promise<boolean> {
  const answered = feed.exits().then(
    () => true,
    () => false,
  )
  return await withTimeout(answered, patienceMs, () => false)
}

/** The leases less what later reports charged; null when a report between them is missing. */
function subtractReports(leases: readonly KeptLease[], through: number, reports: readonly Report[]) {
  const rests = new Map(leases.map((kept) => [kept.lease, { ...kept }]))
  let last = through
  for (const { sequence, lines } of reports) {
    if (sequence <= through) continue
    if (sequence !== last + 1) return null
    last = sequence
    for (const line of lines) {
      const kept = rests.get(line.lease)
      if (kept === undefined) continue
      kept.bytes -= Number(line.charged_bytes)
      if (line.close || kept.bytes < 0) rests.delete(line.lease)
    }
  }
  return { last, leases: [...rests.values()] }
}

/** The state to continue; null when the server answers, or when no consistent state was saved. */
export async function resume(options: {
  feed: Pick<Feed, 'exits'>
  gateway: string
  directory: string
  state: OfflineState
}): Promise<Resumed | null> {
  if (await serverAnswers(options.feed)) return null
  const saved = options.state.leases()
  const known = options.state.known()
  if (saved === null || known === null) return null
  const { boot, sequence: savedThrough } = saved
  const reports = readJournal({ directory: options.directory, identity: { gateway: options.gateway, boot } })
  const rests = subtractReports(saved.leases, savedThrough, reports)
  if (rests === null || rests.leases.length === 0) return null
  return { boot, sequence: rests.last, savedThrough, reports, leases: rests.leases, known }
}
