import { type Transaction, sql } from 'kysely'
import { type DB, prepared } from '#db'
import type { Report } from '#feed'
import { bigintArray } from '#lib/pg-array'
import { EarlyReports } from './lines.ts'

/**
 * Returns the reports that are not settled yet, and marks them settled in this transaction. Locks their boots
 * in a fixed order; a concurrent settlement of the same report waits for the first and then finds it settled.
 *
 * Throws `EarlyReports`, naming them, when some close leases while an earlier report of the same sender is
 * neither settled nor in this batch.
 */
export async function takeUnsettled(tx: Transaction<DB>, reports: readonly Report[]): Promise<Report[]> {
  const fresh: Report[] = []
  for (const [, ofBoot] of [...Map.groupBy(reports, bootKey)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    fresh.push(...(await takeOfBoot(tx, ofBoot)))
  return fresh
}

/** A key with the same order in every process. */
function bootKey({ gateway, boot }: Report): string {
  return JSON.stringify([gateway, boot])
}

async function takeOfBoot(tx: Transaction<DB>, reports: readonly Report[]): Promise<Report[]> {
  const [first] = reports
  if (first === undefined) return []
  const { gateway, boot } = first
  const through = (await lockBoot(tx, first)) ?? (await introduce(tx, first))
  const sequences = reports.map((report) => report.sequence).filter((sequence) => sequence > through)
  if (sequences.length === 0) return []
  // The reports settled ahead matter when the unbroken run continues now, and when a lease is closed beyond
  // it.
  const from = sequences.includes(through + 1)
    ? through + 1
    : Math.min(...reports.filter(closesLease).map(oldestOf), Number.MAX_SAFE_INTEGER)
  const ahead = await sql<{ sequence: bigint }>`${prepared}
    select sequence from report_ahead where gateway = ${gateway} and boot = ${boot} and (
      sequence = any(${bigintArray(sequences)}::bigint[]) or sequence >= ${from}::bigint)`.execute(tx)
  const settled = new Set(ahead.rows.map((row) => Number(row.sequence)))
  const fresh = new Map<number, Report>()
  for (const report of reports)
    if (report.sequence > through && !settled.has(report.sequence) && !fresh.has(report.sequence))
      fresh.set(report.sequence, report)
  const isKnown = (sequence: number) => fresh.has(sequence) || settled.has(sequence)
  const newThrough = contiguousFrom(through, isKnown)
  const early = [...fresh.values()].filter((one) => isEarly(one, newThrough, isKnown))
  // All copies of them: the settlement is retried without any.
  if (early.length > 0)
    throw new EarlyReports(reports.filter((one) => early.some(({ sequence }) => sequence === one.sequence)))
  await mark(tx, {
    gateway,
    boot,
    newThrough,
    ahead: [...fresh.keys()].filter((sequence) => sequence > newThrough),
    isPassed: [...settled].some((sequence) => sequence <= newThrough),
  })
  return [...fresh.values()].toSorted((a, b) => a.sequence - b.sequence)
}

/** Locks the boot. Returns the number up to which its reports are settled; null when the boot is unknown. */
async function lockBoot(tx: Transaction<DB>, { gateway, boot }: Report): Promise<number | null> {
  const { rows } = await sql<{ settled_through: bigint }>`${prepared}
    select settled_through from gateway_boot where gateway = ${gateway} and boot = ${boot} for no key update`.execute(
    tx,
  )
  return rows[0] === undefined ? null : Number(rows[0].settled_through)
}

/** Inserts an unknown boot. A boot that was never announced may still report: from a journal that it left. */
async function introduce(tx: Transaction<DB>, report: Report): Promise<number> {
  await sql`
    insert into gateway_boot (gateway, boot) values (${report.gateway}, ${report.boot}) on conflict do nothing`.execute(
    tx,
  )
  return (await lockBoot(tx, report)) ?? 0
}

const oldestOf = ({ oldest, sequence }: Report) => oldest ?? sequence
const closesLease = ({ lines }: Report) => lines.some((line) => line.close && line.lease !== 0n)

/**
 * Whether the report closes a lease while an earlier report that its sender has not seen settled is missing.
 */
function isEarly(report: Report, through: number, isKnown: (sequence: number) => boolean): boolean {
  if (report.sequence <= through || !closesLease(report)) return false
  const from = Math.max(through + 1, oldestOf(report))
  for (let sequence = from; sequence < report.sequence; sequence++) if (!isKnown(sequence)) return true
  return false
}

/** The last number of the unbroken run after `through`. */
function contiguousFrom(through: number, isSettled: (sequence: number) => boolean): number {
  let last = through
  while (isSettled(last + 1)) last++
  return last
}

async function mark(
  tx: Transaction<DB>,
  {
    gateway,
    boot,
    newThrough,
    ahead,
    isPassed,
  }: { gateway: string; boot: string; newThrough: number; ahead: number[]; isPassed: boolean },
): Promise<void> {
  if (ahead.length === 0 && !isPassed) {
    await sql`${prepared}
      update gateway_boot set settled_through = ${newThrough} where gateway = ${gateway} and boot = ${boot}`.execute(
      tx,
    )
    return
  }
  await sql`
    with passed as (
      delete from report_ahead where gateway = ${gateway} and boot = ${boot} and sequence <= ${newThrough}
    ), ahead as (
      insert into report_ahead (gateway, boot, sequence)
      select ${gateway}, ${boot}, unnest(${bigintArray(ahead)}::bigint[])
    )
    update gateway_boot set settled_through = ${newThrough} where gateway = ${gateway} and boot = ${boot}`.execute(
    tx,
  )
}
