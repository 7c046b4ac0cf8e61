/** The database itself rejects changes to settled rows, from any query. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'

let shop: App
let paid: string
let open: string
beforeAll(async () => {
  shop = await app()
  const customer = await shop.customer()
  paid = await shop.buy(customer, { pool: 'mobile', gb: 1 })
  const page = await customer.call('create_invoice_web', {
    payment_method: 'sandbox',
    amount: 1,
    pool: 'mobile',
  })
  open = page.split('/').at(-1) ?? ''
})
afterAll(() => shop.close())

const change = (number: string, set: string) =>
  sql`update invoice set ${sql.raw(set)} where number = ${number}`.execute(shop.database.db)
/** SQLSTATE restrict_violation. */
const refused = { code: '23001' }

describe('a settled invoice', () => {
  it.each([
    `created_at = created_at - interval '4 days'`,
    `expires_at = now() + interval '1 day'`,
    'settled_at = null',
    `state = 'expired'`,
    `state = 'cancelled'`,
    `state = 'pending', settled_at = null`,
    'received_micros = received_micros - 10000',
    'credited_bytes = credited_bytes - 1',
    `external_id = 'another'`,
    'cost_micros = 10000',
    'gb = 2',
    'account_id = account_id + 1',
  ])('refuses %s', (set) => expect(change(paid, set)).rejects.toMatchObject(refused))

  it('cannot be deleted', () =>
    expect(sql`delete from invoice where number = ${paid}`.execute(shop.database.db)).rejects.toMatchObject({
      code: expect.stringMatching(/^2300[13]$/) as string,
    }))

  it('still records later events', async () => {
    await change(paid, `received_micros = received_micros + 10000, settled_at = now(), disputed_at = now()`)
    await change(paid, `checked_at = now(), last_looked_at = now()`)
  })
})

describe('an open invoice', () => {
  it.each(['cost_micros = 10000', 'gb = 2', `pool = 'datacenter'`, `number = 'another'`, "language = 'en'"])(
    'refuses a change of its order: %s',
    (set) => expect(change(open, set)).rejects.toMatchObject(refused),
  )

  it('accepts a corrected time, and may expire', () =>
    change(open, `created_at = now(), expires_at = now() + interval '1 hour', state = 'expired'`))
})

it.each(['update payment set received_micros = 1', 'delete from payment', 'truncate payment'])(
  'keeps its payments: %s is refused',
  (statement) => expect(sql.raw(statement).execute(shop.database.db)).rejects.toMatchObject(refused),
)

it('keeps a refund that was sent', async () => {
  const { db } = shop.database
  await sql`
    insert into payment_refund (invoice_id, method, external_id, currency, amount_micros)
    select id, method, number, 'USD', 10000 from invoice where number = ${paid}`.execute(db)
  await sql`update payment_refund set attempts = 1`.execute(db)
  await sql`update payment_refund set state = 'sent', reference = 'r', sent_at = now()`.execute(db)
  for (const statement of [
    `update payment_refund set state = 'due', sent_at = null`,
    'delete from payment_refund',
  ])
    await expect(sql.raw(statement).execute(db)).rejects.toMatchObject(refused)
})
