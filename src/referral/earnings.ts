import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

export interface EarnedDay {
  /** UTC, as `2026-03-01`. */
  day: string
  /** Micro-USD, net of refunds. */
  micros: bigint
  payments: bigint
}

/** What an inviter earned on each of the last `days` days (UTC), today included, the earliest first. */
export async function earningsByDay(
  db: Kysely<DB>,
  inviterId: bigint,
  days: number,
  now: Date,
): Promise<EarnedDay[]> {
  const { rows } = await sql<EarnedDay>`
    with today as (select (${now}::timestamptz at time zone 'UTC')::date as day),
    earned as (
      select (earned_at at time zone 'UTC')::date as day, sum(earned_micros - undone_micros)::bigint as micros,
        count(*) filter (where earned_micros > undone_micros) as payments
      from referral_earning
      where inviter_id = ${inviterId}
        and earned_at >= ((select day from today) - ${days - 1}::int)::timestamp at time zone 'UTC'
      group by 1
    )
    select to_char(each, 'YYYY-MM-DD') as day, coalesce(micros, 0)::bigint as micros,
      coalesce(payments, 0)::bigint as payments
    from today, generate_series(today.day - ${days - 1}::int, today.day, interval '1 day') as each
    left join earned on earned.day = each::date
    order by each`.execute(db)
  return rows
}
