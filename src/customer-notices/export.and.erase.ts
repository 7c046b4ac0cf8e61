/** What notices hold about a person, and their erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const noticeParts: readonly PersonalPart[] = [
  {
    name: 'notices_off',
    tables: ['notice_off'],
    atErasure: 'removed',
    rows: (id) => sql`select kind, via from notice_off where account_id = ${id}`,
    key: { kind: 'text', via: 'text' },
  },
  {
    name: 'notice_threshold',
    tables: ['notice_threshold'],
    atErasure: 'removed',
    rows: (id) => sql`select bytes from notice_threshold where account_id = ${id}`,
    key: { bytes: 'bigint' },
  },
  {
    name: 'notices_sent',
    tables: ['notice_told'],
    atErasure: 'removed',
    rows: (id) => sql`
      select u.pool, t.matter, t.occasion, t.level, t.told_at
      from access u join notice_told t on t.access_id = u.id where u.account_id = ${id}`,
    key: { pool: 'text', matter: 'text' },
  },
  {
    name: 'bills_told',
    tables: ['bill_told'],
    atErasure: 'removed',
    rows: (id) => sql`select month, line, told_at from bill_told where account_id = ${id}`,
    key: { month: 'date' },
  },
  {
    name: 'places_used',
    tables: ['place_use'],
    atErasure: 'removed',
    rows: (id) => sql`
      select s.pool, u.country, u.used_at
      from access s join place_use u on u.access_id = s.id where s.account_id = ${id}`,
    key: { pool: 'text', country: 'text' },
  },
  {
    name: 'trouble_told',
    tables: ['place_told'],
    atErasure: 'removed',
    rows: (id) => sql`
      select d.trouble_id, t.pool, t.country, d.told_at, d.end_told_at
      from place_told d join place_trouble t on t.id = d.trouble_id where d.account_id = ${id}`,
    key: { trouble_id: 'bigint' },
  },
]

/** Removes a customer's settings and the record of sent notices. */
export async function eraseNotices(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await sql`delete from notice_off where account_id = ${accountId}`.execute(tx)
  await sql`delete from notice_threshold where account_id = ${accountId}`.execute(tx)
  await sql`delete from bill_told where account_id = ${accountId}`.execute(tx)
  await sql`delete from place_told where account_id = ${accountId}`.execute(tx)
  await sql`
    delete from place_use u using access s where s.id = u.access_id and s.account_id = ${accountId}`.execute(
    tx,
  )
  await sql`
    delete from notice_told t using access u where u.id = t.access_id and u.account_id = ${accountId}`.execute(
    tx,
  )
}
