/**
 * A database that has gone back in time is consistent: only those outside can tell. A gateway's reports are settled in the
 * order of their numbers, so a number that is lower than one that was acknowledged says that the end of the books is gone.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { Feed } from '#feed'
import { type GatewayBoot, seen } from './lease.ts'

/** Reports of a gateway that were settled and are so no more. */
export interface SetBack extends GatewayBoot {
  /** The last report that was acknowledged. */
  acknowledged: number
  /** The last that is settled. */
  settledThrough: number
}

interface Mark {
  through: number
  /** Acknowledged beyond a missing one. */
  ahead: Set<number>
}

/** Behind a gap that is never closed no more are remembered: the database's own number goes on from there, if it does. */
const mostAhead = 10_000

/** What this process has acknowledged: for each boot, up to which number without a gap. */
export class Acknowledged {
  readonly #marks = new Map<string, Mark>()

  /** Zero when nothing is known of the boot. */
  through(boot: GatewayBoot): number {
    return this.#marks.get(keyOf(boot))?.through ?? 0
  }

  /** What the database says of a boot: from there acknowledgements are counted on, or from where they are already. */
  settled(boot: GatewayBoot, through: number): void {
    const mark = this.#marks.get(keyOf(boot))
    if (mark !== undefined && mark.through >= through) return
    this.#begin(boot, through)
  }

  /** The database has gone back to this number. */
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
    // A boot that nobody has introduced is read from a journal, whose numbers are not asked about again.
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
 * A sign of life of a boot, at which it shows whether the database knows of every report that it has acknowledged, here or
 * (`acknowledged`) as the gateway was told. Answers what is missing, once; null: nothing new.
 */
export async function heartbeat(
  db: Kysely<DB>,
  known: Acknowledged,
  { acknowledged = 0, live, gateway, boot: name }: Parameters<Feed['heartbeat']>[0],
): Promise<SetBack | null> {
  const boot = { gateway, boot: name }
  // What was acknowledged before the question was asked is in its answer.
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
 * Writes down that reports are missing; false when that is known. Until they are given up the gap stays, and the gateway
 * goes on to count behind it.
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

/** What was noticed in so many days, the oldest first. */
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
 * Gives up the reports that have been missing for so many minutes: their gateway has sent again what it still had. Without
 * this every later report of the boot would be remembered one by one, behind a gap that is never closed.
 */
export async function giveUpSetBacks(db: Kysely<DB>, { afterMinutes = 10 } = {}): Promise<void> {
  await sql`
    with given_up as (
      update set_back set given_up_at = now()
      where given_up_at is null and noticed_at <= now() - make_interval(mins => ${afterMinutes})
      returning gateway, boot, acknowledged
    ), mark as (
      select gateway, boot, max(acknowledged) as through from given_up group by gateway, boot
    ), run as (
      -- Numbers without a gap are as far apart as their places in line.
      select gateway, boot, through, sequence,
        sequence - through = row_number() over (partition by gateway, boot order by sequence) as goes_on
      from mark join report_ahead a using (gateway, boot) where a.sequence > through
    ), reached as (
      select gateway, boot, greatest(m.through, (
        select max(r.sequence) from run r where (r.gateway, r.boot) = (m.gateway, m.boot) and r.goes_on)) as through
      from mark m
    ), passed as (
      delete from report_ahead a using reached r
      where (a.gateway, a.boot) = (r.gateway, r.boot) and a.sequence <= r.through
    )
    update gateway_boot b set settled_through = r.through from reached r
    where (b.gateway, b.boot) = (r.gateway, r.boot) and b.settled_through < r.through`.execute(db)
}
