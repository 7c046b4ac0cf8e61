/** The personal data of automatic top-up, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import { lockTopUps, savedMethods } from './saved.ts'
import { removeMethod, switchOff } from './switch.ts'

export const topUpParts: readonly PersonalPart[] = [
  {
    name: 'saved_payment_methods',
    tables: ['saved_method'],
    atErasure: 'removed',
    rows: (id) => sql`
      select id, method, brand, last4, expires, saved_at from saved_method where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'top_ups',
    tables: ['top_up'],
    atErasure: 'kept',
    rows: (id) => sql`
      select pool, is_on, off_reason, below_bytes, gb, month_micros as month_micro_usd, most_currency,
        most_micros as most_millionths, failures, changed_at from top_up where account_id = ${id}`,
    key: { pool: 'text' },
  },
  {
    name: 'top_up_consents',
    tables: ['top_up_consent'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select id, kind, pool, method, card, language, version, text, encode(sha256, 'hex') as sha256, below_bytes, gb,
        month_micros as month_micro_usd, most_currency, most_micros as most_millionths, given_at, ip, user_agent,
        ended_at, ended_by from top_up_consent where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'top_up_charges',
    tables: ['top_up_charge'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select c.id, c.pool, i.number as invoice, c.method, c.card, c.state, c.reason, c.cost_micros as cost_micro_usd,
        c.made_at, c.ended_at from top_up_charge c join invoice i on i.id = c.invoice_id where c.account_id = ${id}`,
    key: { id: 'bigint' },
  },
]

/**
 * Ends a customer's consents and removes the saved methods. The records of the consents, with their sums and
 * times, stay with the books of the charges.
 */
export async function eraseTopUps(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<void> {
  await lockTopUps(tx, accountId)
  const end = { reason: 'method_removed', by: 'shop' } as const
  for (const saved of await savedMethods(tx, accountId)) await removeMethod(tx, saved, end, now)
  const pools = await tx.selectFrom('top_up').select('pool').where('account_id', '=', accountId).execute()
  for (const { pool } of pools) await switchOff(tx, { accountId, pool }, end, now)
  await sql`
    update top_up_consent set ip = null, user_agent = null, card = null, text = '', ended_at = coalesce(ended_at, ${now}),
      ended_by = coalesce(ended_by, 'shop')
    where account_id = ${accountId}`.execute(tx)
  await sql`update top_up_charge set card = '', order_text = '' where account_id = ${accountId}`.execute(tx)
}
