/**
 * Detection of a database that has lost its latest transactions, after a failover or a restore. Such a
 * database is consistent, so only its clients can tell: reports are acknowledged by number, and a database
 * that knows a lower number than an acknowledged one has lost settlements.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, transaction } from '#db'
import type { Feed } from '#feed'
import type { GatewayBoot } from './gateways/boot.ts'
import { seen } from './lease.ts'

/** Reports of a gateway that were settled and are not any more. */
export interface SetBack extends GatewayBoot {
  /** The number of the last acknowledged report. */
  acknowledged: number
  /** The number of the last settled report. */
  settledThrough: number
}

interface Mark {
  through: number
  /** The numbers acknowledged after a missing one. */
  ahead: Set<number>
}

/** The most numbers remembered after a gap. Beyond that only the database's number advances the state. */
const mostAhead = 10_000

/** The reports that this process has acknowledged: for each boot the number up to which there is no gap. */
export class Acknowledged {
  readonly #marks = new Map<string, Mark>()

  /** Zero when the boot is unknown. */
  through(boot: GatewayBoot): number {
    return this.#marks.get(keyOf(boot))?.through ?? 0
  }

  /**
   * Records the database's number of a boot: acknowledgements continue from there, unless they are further
   * already.
   */
  settled(boot: GatewayBoot, through: number): void {
    const mark = this.#marks.get(keyOf(boot))
    if (mark !== undefined && mark.through >= through) return
    this.#begin(boot, through)
  }

  /** Records that the database has gone back to this number. */
  setBack(boot: GatewayBoot, through: number): void {
    this.#begin(boot, through)
  }

  #begin(boot: GatewayBoot, through: number): void {
    const ahead = [...(this.#marks.get(keyOf(boot))?.ahead ?? [])].filter((sequence) => sequence > through)
    const mark: Mark = { through, ahead: new Set(ahead) }
    this.#marks.set(keyOf(boot), mark)
    goOn(mark)
  }

  add(report: GatewayBoot & { sequence: number }): void {
    const mark = this.#marks.get(keyOf(report))
    // The reports of an unknown boot come from a journal; it sends no heartbeats, so its numbers are not
    // needed.
    if (mark === undefined || report.sequence <= mark.through) return
    if (mark.ahead.size < mostAhead) mark.ahead.add(report.sequence)
    goOn(mark)
  }
}

const keyOf = ({ gateway, boot }: GatewayBoot) => JSON.stringify([gateway, boot])

function goOn(mark: Mark): void {
  while (mark.ahead.delete(mark.through + 1)) mark.through++
}

/**
 * Records a heartbeat of a boot, and checks that the database knows every report that was acknowledged by
 * this process or, according to the gateway (`acknowledged`), by any. Returns the missing reports once; null:
 * none are newly missing.
 */
export async function heartbeat(
  db: Kysely<DB>,
  known: Acknowledged,
  { acknowledged = 0, live, gateway, boot: name }: Parameters<Feed['heartbeat']>[0],
): Promise<SetBack | null> {
  const boot = { gateway, boot: name }
  // Read before the query, whose result must include all reports acknowledged until now.
  const before = Math.max(known.through(boot), acknowledged)
  const settledThrough = await seen(db, boot, live ?? null)
  if (settledThrough >= before) {
    known.settled(boot, settledThrough)
    return null
  }
  known.setBack(boot, settledThrough)
  const setBack = { gateway, boot: name, acknowledged: before, settledThrough }
  return (await noteSetBack(db, setBack)) ? setBack : null
}

/**
 * Records missing reports; false when they are recorded already. Until they are given up the gap stays, and
 * the gateway's later reports are settled after it.
 */
async function noteSetBack(db: Kysely<DB>, setBack: SetBack): Promise<boolean> {
  const { gateway, boot, acknowledged, settledThrough } = setBack
  const noted = await sql`
    insert into set_back (gateway, boot, acknowledged, settled_through)
    select ${gateway}, ${boot}, ${acknowledged}::bigint, ${settledThrough}::bigint
    where not exists (select from set_back where gateway = ${gateway} and boot = ${boot} and given_up_at is null)
    on conflict do nothing`.execute(db)
  return noted.numAffectedRows === 1n
}

/** The losses detected in the last so many days, oldest first. */
export async function setBacksOf(
  db: Kysely<DB>,
  { days }: { days: number },
): Promise<(SetBack & { noticedAt: Date })[]> {
  const { rows } = await sql<{
    gateway: string
    boot: string
    acknowledged: bigint
    settled_through: bigint
    noticed_at: Date
  }>`
    select gateway, boot, acknowledged, settled_through, noticed_at from set_back
    where noticed_at > now() - make_interval(days => ${days}) order by noticed_at`.execute(db)
  return rows.map(({ gateway, boot, acknowledged, settled_through, noticed_at }) => ({
    gateway,
    boot,
    acknowledged: Number(acknowledged),
    settledThrough: Number(settled_through),
    noticedAt: noticed_at,
  }))
}

/**
 * Gives up the reports that have been missing for so many minutes: their gateway has resent all that it still
 * had. Otherwise every later report of the boot would be recorded singly, after a gap that is never closed.
 */
export async function giveUpSetBacks(db: Kysely<DB>, { afterMinutes = 10 } = {}): Promise<void> {
  const { rows } = await sql<GatewayBoot>`
    select distinct gateway, boot from set_back
    where given_up_at is null and noticed_at <= now() - make_interval(mins => ${afterMinutes})`.execute(db)
  for (const boot of rows) await transaction(db, (tx) => giveUp(tx, boot, afterMinutes))
}

async function giveUp(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  afterMinutes: number,
): Promise<void> {
  // As a settlement does. The next statement then sees the reports that concurrent ones have recorded after
  // the gap; one that it missed would be a gap that is never closed.
  await sql`select from gateway_boot where gateway = ${gateway} and boot = ${boot} for no key update`.execute(
    tx,
  )
  await sql`
    with given_up as (
      update set_back set given_up_at = now()
      where gateway = ${gateway} and boot = ${boot}
        and given_up_at is null and noticed_at <= now() - make_interval(mins => ${afterMinutes})
      returning acknowledged
    ), mark as (
      select max(acknowledged) as through from given_up having count(*) > 0
    ), run as (
      -- Within a run without a gap, sequence minus row number is constant.
      select sequence, sequence - through = row_number() over (order by sequence) as goes_on
      from mark, report_ahead where gateway = ${gateway} and boot = ${boot} and sequence > through
    ), reached as (
      select greatest(through, (select max(sequence) from run where goes_on)) as through from mark
    ), passed as (
      delete from report_ahead a using reached r
      where a.gateway = ${gateway} and a.boot = ${boot} and a.sequence <= r.through
    )
    update gateway_boot b set settled_through = r.through from reached r
    where b.gateway = ${gateway} and b.boot = ${boot} and b.settled_through < r.through`.execute(tx)
}
