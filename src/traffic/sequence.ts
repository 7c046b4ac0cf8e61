import { type Transaction, sql } from 'kysely'
import type { DB } from '#db'
import type { Report } from '#gateway/feed'
import { bigintArray } from '#lib/pg-array'

/**
 * Tells which of these reports are new, and marks them settled in this transaction. Locks their boots, in one order for
 * everybody, so that the same report in two settlements waits for the first and is then known.
 */
export async function takeUnsettled(tx: Transaction<DB>, reports: readonly Report[]): Promise<Report[]> {
  const fresh: Report[] = []
  for (const [, ofBoot] of [...Map.groupBy(reports, bootKey)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    fresh.push(...(await takeOfBoot(tx, ofBoot)))
  return fresh
}

/** Sorts alike in every process; the separator cannot stand in a JSON string unescaped. */
function bootKey({ gateway, boot }: Report): string {
  return JSON.stringify([gateway, boot])
}

async function takeOfBoot(tx: Transaction<DB>, reports: readonly Report[]): Promise<Report[]> {
  const [first] = reports
  if (first === undefined) return []
  const { gateway, boot } = first
  // A boot that was never introduced may still report: its journal is all that is left of it.
  await sql`
    insert into gateway_boot (gateway, boot) values (${gateway}, ${boot}) on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ settled_through: bigint }>`
    select settled_through from gateway_boot where gateway = ${gateway} and boot = ${boot} for no key update`.execute(
    tx,
  )
  const through = Number(rows[0]?.settled_through ?? 0n)
  const sequences = reports.map((report) => report.sequence).filter((sequence) => sequence > through)
  if (sequences.length === 0) return []
  const ahead = await sql<{ sequence: bigint }>`
    select sequence from report_ahead where gateway = ${gateway} and boot = ${boot} and (
      sequence = any(${bigintArray(sequences)}::bigint[]) or ${sequences.includes(through + 1)}::boolean)`.execute(
    tx,
  )
  const settled = new Set(ahead.rows.map((row) => Number(row.sequence)))
  const fresh = new Map<number, Report>()
  for (const report of reports)
    if (report.sequence > through && !settled.has(report.sequence) && !fresh.has(report.sequence))
      fresh.set(report.sequence, report)
  const newThrough = contiguousFrom(through, (sequence) => fresh.has(sequence) || settled.has(sequence))
  await mark(tx, {
    gateway,
    boot,
    newThrough,
    ahead: [...fresh.keys()].filter((sequence) => sequence > newThrough),
  })
  return [...fresh.values()].toSorted((a, b) => a.sequence - b.sequence)
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
  }: { gateway: string; boot: string; newThrough: number; ahead: number[] },
): Promise<void> {
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
