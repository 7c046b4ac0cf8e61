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
  'an invoice keeps its payments: %s is refused',
  (statement) => expect(sql.raw(statement).execute(shop.database.db)).rejects.toMatchObject(refused),
)

describe('a refund', () => {
  const refundsDone = `sent_at = now(), reference = 'r'`
  const insert = (name: string) =>
    sql`
    insert into refund (name, invoice_id, method, way, state, external_id, currency, amount_micros, usd_micros, created_at, booked_at)
    select ${name}, id, method, 'processor', 'due', number, 'USD', 10000, 10000, now(), now()
    from invoice where number = ${paid}`.execute(shop.database.db)
  const set = (name: string, text: string) =>
    sql`update refund set ${sql.raw(text)} where name = ${name}`.execute(shop.database.db)

  it('never changes once it has failed; its payment and the traffic it took never change', async () => {
    await insert('one')
    await set('one', 'attempts = 1')
    for (const text of ['amount_micros = 20000', 'usd_micros = 1', `name = 'other'`, 'taken_back_bytes = 5'])
      await expect(set('one', text)).rejects.toMatchObject(refused)
    await set('one', `state = 'sent', ${refundsDone}`)
    await expect(set('one', `state = 'due', sent_at = null`)).rejects.toMatchObject(refused)
    await set('one', `state = 'done', ended_at = now()`)
    await expect(set('one', `state = 'sent', ended_at = null`)).rejects.toMatchObject(refused)
    // The processor may say later that it came back.
    await set('one', `state = 'failed', ended_at = now()`)
    for (const text of [
      `state = 'done'`,
      `state = 'due', ended_at = null`,
      `state = 'sent', ended_at = null`,
    ])
      await expect(set('one', text)).rejects.toMatchObject(refused)
  })

  it('is never deleted', async () => {
    await insert('two')
    await expect(sql`delete from refund where name = 'two'`.execute(shop.database.db)).rejects.toMatchObject(
      refused,
    )
  })
})
