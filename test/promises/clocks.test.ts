import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { createCode } from '#promo'
import { createInvoice, expireInvoices, reconcileInvoices, refundInvoice, sendRefunds } from '#purchase'
import { refusalOf } from '#test/app'
import { newAccount } from '#test/people'
import { yookassaMethod } from '../../src/payments/adapters/yookassa.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { setRate } from '#rates'
import { till, type Till } from '../processors/till.ts'
import { FakeYookassa } from '../processors/yookassa.ts'

const hour = 60 * 60_000
const jumps = [
  ['an hour forward', hour],
  ['a day back', -24 * hour],
  ['400 days forward', 400 * 24 * hour],
] as const

const fake = new FakeYookassa()
let desk: Till
beforeAll(async () => {
  await fake.start()
  const publicUrl = new URL('http://localhost:3000')
  const { shopId, secretKey, url: apiBase } = fake
  desk = await till({
    fake,
    method: yookassaMethod({ shopId, secretKey, apiBase, networks: [], publicUrl, timeoutMs: 3000 }),
    made: () => [...fake.payments.keys()],
    pay: (externalId) => fake.pay(externalId),
    notify: () => ({ headers: {}, body: '' }),
    alter: () => undefined,
  })
  await setRate(desk.shop.database.db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: new Date() })
})
afterAll(() => desk.close())

describe.each(jumps)('P8: a clock that is wrong, %s, and put right again', (_what, byMs) => {
  const right = new Date()
  const wrong = new Date(right.getTime() + byMs)
  const deps = () => purchaseDeps(desk.shop.services)
  const setClock = (now: Date) => (desk.shop.clock.now = now)

  it('loses no payment: the poller continues with the right clock', async () => {
    setClock(right)
    const { database } = desk.shop
    const { number, externalId } = await desk.order(await desk.shop.customer())
    await expireInvoices(database.db, wrong)
    await reconcileInvoices(database, deps(), wrong)
    desk.pay(externalId)
    await expireInvoices(database.db, right)
    await reconcileInvoices(database, deps(), new Date(right.getTime() + 11 * 60_000))
    expect(await desk.invoice(number)).toMatchObject({ state: 'paid', received_micros: 35_000_000n })
    await reconcileInvoices(database, deps(), wrong)
    expect(await desk.invoice(number)).toMatchObject({ state: 'paid', received_micros: 35_000_000n })
  })

  it('checks once more, three days later, an order made under it', async () => {
    const { database } = desk.shop
    setClock(right)
    const { number, externalId } = await desk.order(await desk.shop.customer())
    await database.pool.query(
      `update invoice set created_at = created_at + $2 * interval '1 ms', expires_at = expires_at + $2 * interval '1 ms'
        where number = $1`,
      [number, byMs],
    )
    desk.pay(externalId)
    const look = (afterMs: number) => reconcileInvoices(database, deps(), new Date(right.getTime() + afterMs))
    await look(60_000)
    await look(20 * 60_000)
    expect(await desk.invoice(number)).toMatchObject({ state: 'paid' })
    await look(3 * 24 * hour + 2 * hour)
    const { rows } = await database.pool.query<{ looked: boolean; late: boolean }>(
      `select last_looked_at is not null as looked, created_at > $2 or expires_at > $2 + interval '2 days' as late
        from invoice where number = $1`,
      [number, new Date(right.getTime() + 2 * hour)],
    )
    expect(rows).toEqual([{ looked: true, late: false }])
  })

  it('sends each refund once, and does not delay it until the wrong time', async () => {
    setClock(right)
    const { database } = desk.shop
    const { number, externalId } = await desk.order(await desk.shop.customer())
    desk.pay(externalId)
    await reconcileInvoices(database, deps(), new Date(right.getTime() + 60_000))
    await refundInvoice(database, { number, what: 'all', methods: deps().methods }, wrong)
    desk.fake.trouble(500, 500, 500)
    await sendRefunds(database, deps(), wrong)
    desk.fake.calm()
    await sendRefunds(database, deps(), new Date(right.getTime() + 5 * 60_000))
    const sent = [...fake.refunds.values()].filter((one) => one.description?.startsWith(number) === true)
    expect(sent).toHaveLength(1)
  })

  it('grants no use of a promo code twice', async () => {
    const { database } = desk.shop
    const code = `CLOCK${Math.abs(byMs)}`
    const grant = { kind: 'discount' as const, discountPpm: 500_000, minGb: 1n }
    await createCode(database.db, { code, grant, maxUses: 1n, expiresAt: null })
    const order = async (now: Date) => {
      const accountId = await newAccount(database.db)
      const wish = { accountId, pool: 'residential', gb: 10n, promocode: code, language: 'en' } as const
      const made = createInvoice(database, deps(), { ...wish, method: 'yookassa' }, now)
      return made.then(
        () => desk.made().at(-1) ?? '',
        () => null,
      )
    }
    // By the wrong clock the first order's hold on the promo code may have ended.
    const made = [await order(right), await order(wrong)].filter((externalId) => externalId !== null)
    for (const externalId of made) desk.pay(externalId)
    await reconcileInvoices(database, deps(), wrong)
    await reconcileInvoices(database, deps(), new Date(right.getTime() + 12 * 60_000))
    const { rows } = await database.pool.query<{ uses: bigint; stood: bigint; paid: bigint }>(
      `select uses, (select count(*) from invoice i where i.promocode_id = c.id and received_micros > 0 and promo_lost_at is null) as stood,
        (select count(*) from invoice i where i.promocode_id = c.id and received_micros > 0) as paid
        from promocode c where code = $1`,
      [code],
    )
    expect(rows).toEqual([{ uses: 1n, stood: 1n, paid: BigInt(made.length) }])
  })

  it('revives no refused session, and extends none beyond its thirty days', async () => {
    setClock(right)
    const customer = await desk.shop.customer()
    setClock(new Date(right.getTime() + 31 * 24 * hour))
    expect(await refusalOf(customer.call('legacy_profile', {}))).toMatchObject({ status: 401 })
    setClock(right)
    expect(await refusalOf(customer.call('legacy_profile', {}))).toMatchObject({ status: 401 })

    const other = await desk.shop.customer()
    setClock(wrong)
    await other.call('legacy_profile', {}).catch(() => undefined)
    setClock(right)
    await other.call('legacy_profile', {}).catch(() => undefined)
    const { rows } = await desk.shop.database.pool.query<{ late: bigint }>(
      `select count(*) as late from session where expires_at > $1`,
      [new Date(right.getTime() + 31 * 24 * hour)],
    )
    expect(rows).toEqual([{ late: 0n }])
  })

  it('leaves consistent books', async () => {
    setClock(right)
    expect(await verifyLedger(desk.shop.database.db)).toEqual([])
    const { rows } = await desk.shop.database.pool.query('select from invoice where expires_at < created_at')
    expect(rows).toEqual([])
  })
})
