/** Notifies customers of trouble with exits in a country that they use, and of its end, once each. */
import { sql } from 'kysely'
import { type Database, transaction } from '#db'
import type { Pool } from '#contract/wire'
import { tell } from './tell.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Trouble whose last failure is older is not reported: there have been no attempts since. */
const freshMs = 5 * minuteMs
/** The maximum number of customers per run; the others follow in later runs. */
const batch = 500

interface Concerned {
  accountId: bigint
  pool: Pool
  ids: bigint[]
  countries: string[]
  since: Date
}

/**
 * Notifies the customers who requested a pool and country within a day before the trouble, or since, once it
 * has lasted `minutes`; and when it ends, the customers who were notified. All countries of one pool are in
 * one notice. 0: nobody is notified. Returns the number of notices. Safe in several processes at once: the
 * recipients are recorded in the transaction that sends it.
 */
export async function sendTroubleNotices(
  db: Database['db'],
  now: Date,
  { minutes }: { minutes: bigint },
): Promise<number> {
  if (minutes === 0n) return 0
  let sent = 0
  for (const one of await concerned(db, now, minutes)) if (await tellOfTrouble(db, one, now)) sent++
  for (const one of await relieved(db)) if (await tellOfEnd(db, one, now)) sent++
  return sent
}

async function concerned(db: Database['db'], now: Date, minutes: bigint): Promise<Concerned[]> {
  const { rows } = await sql<Concerned>`
    select s.account_id as "accountId", t.pool, array_agg(t.id order by t.country) as ids,
      array_agg(t.country order by t.country) as countries, min(t.since) as since
    from place_trouble t
      join place_use u on u.country = t.country and u.used_at > t.since - interval '1 day'
      join access s on s.id = u.access_id and s.pool = t.pool
    where t.ended_at is null and t.since <= ${new Date(now.getTime() - Number(minutes) * minuteMs)}
      and t.last_failed_at > ${new Date(now.getTime() - freshMs)}
      and not exists (select from place_told d where d.trouble_id = t.id and d.account_id = s.account_id)
    group by s.account_id, t.pool order by s.account_id, t.pool limit ${batch}`.execute(db)
  return rows
}

function tellOfTrouble(
  db: Database['db'],
  { accountId, pool, ids, countries, since }: Concerned,
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ id: bigint }>`
      insert into place_told (trouble_id, account_id, told_at, is_sent)
      select t.id, ${accountId}, ${now}, false from place_trouble t
      where t.id = any(${ids}::bigint[]) and t.ended_at is null order by t.id
      on conflict do nothing returning trouble_id as id`.execute(tx)
    const mine = new Set(rows.map(({ id }) => id))
    const told = countries.filter((_, index) => mine.has(ids[index] ?? 0n))
    if (told.length === 0) return false
    const isSent = await tell(tx, accountId, noticeOf('began', { pool, since }, told), now)
    await sql`
      update place_told set is_sent = ${isSent}
      where account_id = ${accountId} and trouble_id = any(${[...mine]}::bigint[])`.execute(tx)
    return isSent
  })
}

async function relieved(db: Database['db']): Promise<Concerned[]> {
  const { rows } = await sql<Concerned>`
    select d.account_id as "accountId", t.pool, array_agg(t.id order by t.country) as ids,
      array_agg(t.country order by t.country) as countries, min(t.since) as since
    from place_trouble t join place_told d on d.trouble_id = t.id
    where t.ended_at is not null and not t.is_forgotten and d.is_sent and d.end_told_at is null
    group by d.account_id, t.pool order by d.account_id, t.pool limit ${batch}`.execute(db)
  return rows
}

function tellOfEnd(
  db: Database['db'],
  { accountId, pool, ids, countries, since }: Concerned,
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ id: bigint; isLate: boolean }>`
      update place_told d set end_told_at = ${now} from place_trouble t
      where d.account_id = ${accountId} and d.trouble_id = any(${ids}::bigint[]) and d.end_told_at is null
        and t.id = d.trouble_id
      returning d.trouble_id as id, t.ended_at < ${new Date(now.getTime() - dayMs)} as "isLate"`.execute(tx)
    // After a day without a worker the notice would be outdated.
    const mine = new Set(rows.filter(({ isLate }) => !isLate).map(({ id }) => id))
    const told = countries.filter((_, index) => mine.has(ids[index] ?? 0n))
    if (told.length === 0) return false
    return tell(tx, accountId, noticeOf('ended', { pool, since }, told), now)
  })
}

const noticeOf = (
  event: 'began' | 'ended',
  { pool, since }: Pick<Concerned, 'pool' | 'since'>,
  countries: readonly string[],
) => ({
  kind: 'trouble' as const,
  event,
  pool,
  countries: countries.map((code) => (code === '' ? '*' : code)).join(','),
  since: since.toISOString(),
})
