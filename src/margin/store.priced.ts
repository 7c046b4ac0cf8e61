/** Stores computed revenue. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import type { Earned, Priced } from './pricing.ts'

const numbers = <T>(rows: readonly T[], of: (row: T) => bigint | number | null) =>
  sql`${bigintArray(rows.map(of))}::bigint[]`
const texts = <T>(rows: readonly T[], of: (row: T) => string | null) =>
  sql`${textArray(rows.map(of))}::text[]`

/** Parts as a table with the columns of margin_part, not aggregated. */
export const partsTable = (earned: readonly Earned[]) => sql`
  select to_timestamp(hour_ms / 1000) as hour, exit_id, pool, account_id, invoice_id, move_id,
    tier_ppm::integer as tier_ppm, promocode,
    charged_bytes, bonus_bytes, relayed_bytes, free_bytes, revenue_micros, fee_micros, share_micros
  from unnest(
    ${numbers(earned, ({ hour }) => hour.getTime())}, ${numbers(earned, ({ exitId }) => exitId)},
    ${texts(earned, ({ pool }) => pool)}, ${numbers(earned, ({ accountId }) => accountId)},
    ${numbers(earned, ({ invoiceId }) => invoiceId)}, ${numbers(earned, ({ moveId }) => moveId)},
    ${numbers(earned, ({ tierPpm }) => tierPpm)}, ${texts(earned, ({ promocode }) => promocode)},
    ${numbers(earned, ({ chargedBytes }) => chargedBytes)}, ${numbers(earned, ({ bonusBytes }) => bonusBytes)},
    ${numbers(earned, ({ relayedBytes }) => relayedBytes)}, ${numbers(earned, ({ freeBytes }) => freeBytes)},
    ${numbers(earned, ({ micros }) => micros)}, ${numbers(earned, ({ feeMicros }) => feeMicros)},
    ${numbers(earned, ({ shareMicros }) => shareMicros)}
  ) told(hour_ms, exit_id, pool, account_id, invoice_id, move_id, tier_ppm, promocode,
    charged_bytes, bonus_bytes, relayed_bytes, free_bytes, revenue_micros, fee_micros, share_micros)`

/** Stores positions and revenue. */
export async function keepPriced(tx: Transaction<DB>, { earned, positions, lots }: Priced): Promise<void> {
  await sql`
    insert into margin_position (account_id, pool, used_bytes, is_noted)
    select *, true from unnest(
      ${numbers(positions, ({ accountId }) => accountId)}, ${texts(positions, ({ pool }) => pool)},
      ${numbers(positions, ({ usedBytes }) => usedBytes)}
    )
    on conflict (account_id, pool) do update set used_bytes = excluded.used_bytes, is_noted = true`.execute(
    tx,
  )
  if (lots.length > 0)
    await sql`
      insert into margin_lot (account_id, pool, invoice_id, move_id, used_bytes, revenue_micros, fee_micros, share_micros)
      select * from unnest(
        ${numbers(lots, ({ accountId }) => accountId)}, ${texts(lots, ({ pool }) => pool)},
        ${numbers(lots, ({ invoiceId }) => invoiceId)}, ${numbers(lots, ({ moveId }) => moveId)},
        ${numbers(lots, ({ usedBytes }) => usedBytes)}, ${numbers(lots, ({ micros }) => micros)},
        ${numbers(lots, ({ feeMicros }) => feeMicros)}, ${numbers(lots, ({ shareMicros }) => shareMicros)}
      )
      on conflict (account_id, pool, invoice_id, move_id) do update set
        used_bytes = excluded.used_bytes, revenue_micros = excluded.revenue_micros,
        fee_micros = excluded.fee_micros, share_micros = excluded.share_micros`.execute(tx)
  if (earned.length === 0) return
  await sql`
    with told as (${partsTable(earned)}), parts as (
      insert into margin_part as known
      select hour, exit_id, pool, account_id, invoice_id, move_id, max(tier_ppm), max(promocode),
        sum(charged_bytes), sum(bonus_bytes), bounded(sum(relayed_bytes)), bounded(sum(free_bytes)),
        sum(revenue_micros), sum(fee_micros), sum(share_micros)
      from told group by 1, 2, 3, 4, 5, 6
      on conflict (hour, exit_id, pool, account_id, invoice_id, move_id) do update set
        charged_bytes = known.charged_bytes + excluded.charged_bytes, bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
        relayed_bytes = bounded(known.relayed_bytes::numeric + excluded.relayed_bytes),
        free_bytes = bounded(known.free_bytes::numeric + excluded.free_bytes),
        revenue_micros = known.revenue_micros + excluded.revenue_micros, fee_micros = known.fee_micros + excluded.fee_micros,
        share_micros = known.share_micros + excluded.share_micros
    )
    insert into margin_hour as known (hour, pool, exit_id, free_bytes, revenue_micros, fee_micros, share_micros)
    select hour, pool, exit_id, bounded(sum(free_bytes)), sum(revenue_micros), sum(fee_micros), sum(share_micros)
    from told group by 1, 2, 3
    on conflict (hour, pool, exit_id) do update set
      free_bytes = bounded(known.free_bytes::numeric + excluded.free_bytes), revenue_micros = known.revenue_micros + excluded.revenue_micros,
      fee_micros = known.fee_micros + excluded.fee_micros, share_micros = known.share_micros + excluded.share_micros`.execute(
    tx,
  )
}
