/**
 * A start while the server is away. The process goes on as the boot that ended before it: with its leases, less what
 * its journal says was spent since they were written down, and with the numbers of its reports. It needs no word of
 * the server for that, because every report was in the journal before it was sent, and none that is younger than the
 * sheet of leases is removed from there: the next number was never used.
 */

import type { Feed, Report } from '#feed'
import { readJournal } from './journal.ts'
import type { KeptLease } from './lease.options.ts'
import type { Known, Snapshot } from './offline.state.ts'

export interface Resumed {
  boot: string
  /** The last number given to a report. */
  sequence: number
  /** The number through which the sheet on the disk counts. */
  savedThrough: number
  /** Reports in the journal: some may be settled already, which a repetition does not change. */
  reports: Report[]
  leases: KeptLease[]
  known: Known
}

const PATIENCE_MS = 3000

/** Whether the server answers a question soon. */
export async function answers(feed: Pick<Feed, 'exits'>, patienceMs = PATIENCE_MS): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs)
  })
  const answer = feed.exits().then(
    () => true,
    () => false,
  )
  return await Promise.race([answer, tooLate]).finally(() => clearTimeout(timer))
}

/** The leases without what later reports took off them; null when a report between them is missing. */
function restsAfter(leases: readonly KeptLease[], through: number, reports: readonly Report[]) {
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

/** What to go on with; null when the server answers, or nothing can be relied on. */
export async function resume(options: {
  feed: Pick<Feed, 'exits'>
  gateway: string
  directory: string
  snapshot: Snapshot
}): Promise<Resumed | null> {
  if (await answers(options.feed)) return null
  const sheet = options.snapshot.leases()
  const known = options.snapshot.known()
  if (sheet === null || known === null) return null
  const { boot, sequence: savedThrough } = sheet
  const reports = readJournal({ directory: options.directory, identity: { gateway: options.gateway, boot } })
  const rests = restsAfter(sheet.leases, savedThrough, reports)
  if (rests === null || rests.leases.length === 0) return null
  return { boot, sequence: rests.last, savedThrough, reports, leases: rests.leases, known }
}
