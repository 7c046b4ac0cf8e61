import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rootOf, verifyRoots } from '#contract/bill/roots'
import { makeBillRoot } from '#ledger'
import { eraseNotices } from './customer-notices.ts'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { transaction } from '#db'
import { sendBillNotices } from './bill.ts'

let shop: App
let db: App['database']['db']
let customer: Customer
let accountId: bigint
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
})
afterAll(() => shop.close())
beforeEach(async () => {
  customer = await shop.customer()
  accountId = BigInt(await accountIdOf(customer))
  await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
  await db.deleteFrom('mail').execute()
  await sql`delete from graphile_worker._private_jobs`.execute(db)
})

/** A line of the bill; as an exchange or a refund, what was credited may be below zero. */
async function bill(hour: string, line: { pool?: string; credited?: bigint; charged?: bigint } = {}) {
  const { pool = 'residential', credited = 1000n, charged = 10n } = line
  await sql`
    insert into bill_line (account_id, line, hour, pool, credited_bytes, charged_bytes, requests, balance_bytes)
    select ${accountId}, coalesce(max(line), 0) + 1, ${hour}::timestamptz, ${pool}, ${credited}, ${charged}, 0,
      coalesce(sum(credited_bytes - charged_bytes) filter (where pool = ${pool}), 0) + ${credited} - ${charged}
    from bill_line where account_id = ${accountId}`.execute(db)
  await sql`
    insert into bill_pool (account_id, pool, hour, hour_bytes, balance_bytes) values (${accountId}, ${pool}, ${hour}::timestamptz, 10, 0)
    on conflict (account_id, pool) do update set hour = excluded.hour`.execute(db)
}
const letters = async () => {
  const { rows } = await sql<{ data: Record<string, string> }>`
    select data from mail where recipient = ${customer.email} and template = 'bill_month' order by created_at`.execute(
    db,
  )
  return rows.map(({ data }) => data)
}
const look = (time: string) => sendBillNotices(db, new Date(time))

describe('the monthly notice of the bill', () => {
  it('is sent once for each month with traffic, also by several workers, with the last hash of the month', async () => {
    await bill('2026-08-31T20:00Z')
    await bill('2026-08-31T20:00Z', { pool: 'mobile', credited: 500n, charged: 5n })
    // An exchange and a refund in the last hour, which is that of September in Moscow.
    await bill('2026-08-31T23:00Z', { credited: -300n, charged: 20n })
    await bill('2026-08-31T23:00Z', { pool: 'mobile', credited: -100n, charged: 0n })
    await bill('2026-09-01T00:00Z', { charged: 7n, credited: 0n })
    expect(await look('2026-09-01T05:59Z')).toBe(0)
    const sent = await Promise.all(Array.from({ length: 3 }, () => look('2026-09-01T06:03Z')))
    expect(sent.reduce((sum, one) => sum + one)).toBe(1)
    expect(await look('2026-09-30T23:59Z')).toBe(0)
    const { lines } = await customer.call('get_bill', {})
    const head = lines[3]?.slice(-64)
    expect(await letters()).toEqual([
      {
        month: '2026-08-01',
        line: '4',
        hour: '2026-08-31T23:00Z',
        charged_bytes: '35',
        head,
        charged: 'mobile 5,residential 30',
      },
    ])
    expect(await look('2026-10-01T06:03Z')).toBe(1)
    expect((await letters())[1]).toMatchObject({ month: '2026-09-01', line: '5', charged: 'residential 7' })
    // No traffic in October, and an outage until December.
    expect(await look('2026-11-01T06:03Z')).toBe(0)
    await bill('2026-11-05T00:00Z')
    expect(await look('2026-12-09T09:03Z')).toBe(1)
    expect(await letters()).toHaveLength(3)
  })

  it('is sent up to two months late, and never for older months', async () => {
    await bill('2026-01-05T00:00Z')
    expect(await look('2026-04-01T07:00Z')).toBe(0)
    await bill('2026-04-01T01:00Z')
    expect(await look('2026-04-01T07:00Z')).toBe(0)
    expect(await look('2026-06-01T07:00Z')).toBe(1)
    expect(await letters()).toMatchObject([{ month: '2026-04-01' }])
  })

  it('uses the channels that the customer has left on, and a month that was switched off is not sent later', async () => {
    await sql`
      insert into telegram_identity (telegram_user_id, account_id) values (${accountId + 5_000_000n}, ${accountId})`.execute(
      db,
    )
    await customer.call('set_notices', { bill: { email: false } })
    await bill('2026-08-02T00:00Z')
    expect(await look('2026-09-01T07:00Z')).toBe(1)
    const { rows } = await sql<{ payload: unknown }>`
      select p.payload from graphile_worker._private_jobs p join graphile_worker._private_tasks t on t.id = p.task_id
      where t.identifier = 'telegram_notice'`.execute(db)
    expect(rows).toMatchObject([
      { payload: { kind: 'bill', month: '2026-08-01', account_id: String(accountId) } },
    ])
    await customer.call('set_notices', { bill: { email: true, telegram: false } })
    await sql`update account set email_confirmed_at = null where id = ${accountId}`.execute(db)
    await bill('2026-09-02T00:00Z')
    expect(await look('2026-10-01T07:00Z')).toBe(0)
    await sql`update account set email_confirmed_at = now() where id = ${accountId}`.execute(db)
    expect(await look('2026-10-02T07:00Z')).toBe(0)
    expect(await letters()).toEqual([])
  })

  it('refers to the root of a day; an erasure changes neither the root nor the proofs of customers', async () => {
    await bill('2026-08-02T00:00Z')
    await makeBillRoot(db, new Date('2026-08-03T00:03Z'))
    const roots = await customer.call('bill_roots', {})
    const proof = await customer.call('get_bill_proof', {})
    await look('2026-09-01T07:00Z')
    await transaction(db, (tx) => eraseNotices(tx, accountId))
    await sql`update account set erased_at = now(), blocked_at = now(), username = null, username_key = null, email = null,
      email_key = null, password_hash = null where id = ${accountId}`.execute(db)
    expect(await (await shop.customer()).call('bill_roots', {})).toBe(roots)
    const verdict = await verifyRoots(roots)
    expect(verdict.ok && verdict.roots.get(proof.day)).toBe(await rootOf(proof))
    const { rows } = await sql`select from bill_told where account_id = ${accountId}`.execute(db)
    expect(rows).toEqual([])
    // The published data has neither the account's number nor its head.
    expect(roots).not.toContain(proof.head)
    // A closed account gets no letter.
    await bill('2026-09-02T00:00Z')
    expect(await look('2026-10-01T07:00Z')).toBe(0)
  })
})
