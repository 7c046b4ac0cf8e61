import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { arriveByTelegram } from '#accounts/telegram'
import { issueTelegramCode } from '#accounts/telegram/code'
import { sql } from 'kysely'
import {
  createInvoice,
  findInvoice,
  payFromBalance,
  reconcileInvoice,
  refundInvoice,
  sendRefunds,
} from '#purchase'
import { transaction } from '#db'
import { listReceipts, markRegistered, receiptsOf, type ReceiptSettings, registerReceipts } from '#receipts'
import { type App, type Customer, refusalOf } from '#test/app'
import { purchaseDeps } from '../../src/main/services.ts'
import { fiscalShop } from './yookassa.shop.ts'
import { FakeYookassa } from './yookassa.ts'

const fake = new FakeYookassa()
let shop: App
let deps: ReturnType<typeof purchaseDeps>

beforeAll(async () => {
  shop = await fiscalShop(fake)
})
afterAll(async () => {
  await shop.close()
  fake.stop()
})

const settings = (): ReceiptSettings => {
  const { receipts } = shop.services.settings
  if (receipts === null) throw new Error('the shop registers receipts')
  return receipts
}
beforeEach(() => {
  deps = purchaseDeps(shop.services)
  shop.clock.now = new Date()
})
afterEach(() => {
  fake.calm()
  fake.settleReceipts()
})

const later = (ms: number) => new Date(shop.clock.now.getTime() + ms)
const minute = 60_000
const day = 24 * 60 * minute
const order = { payment_method: 'yookassa', amount: 10, pool: 'residential' } as const

let telegramIds = 990_000

/** A customer who came by Telegram and has no e-mail. */
async function telegramCustomer(): Promise<Pick<Customer, 'call'> & { id: bigint }> {
  const { db } = shop.database
  const { account } = await arriveByTelegram(db, {
    telegramUserId: BigInt(++telegramIds),
    lang: 'rus',
    referralCode: null,
  })
  const { code } = await issueTelegramCode(db, shop.services.secrets, account.id, shop.clock.now)
  const token = await shop.from(`198.19.7.${telegramIds % 250}`)('telegram_code_signin', { p_code: code })
  return { call: shop.client(token), id: account.id }
}

async function buy({ call }: Pick<Customer, 'call'>, input: { receipt_email?: string } = {}) {
  let number = ''
  const heard = { onHeaders: (headers: Headers) => (number = headers.get('x-invoice-id') ?? '') }
  await call('create_invoice_web', { ...order, ...input }, heard)
  return { number, externalId: (await findInvoice(shop.database.db, number))?.externalId ?? '' }
}

/** A paid invoice of a new customer, in a shop with these settings. */
async function paid(with_: Partial<ReceiptSettings> = {}) {
  const { id: accountId } = await telegramCustomer()
  deps = { ...deps, receipts: { ...settings(), ...with_ } }
  const goods = { accountId, pool: 'residential', gb: 10n, promocode: null, language: 'ru' } as const
  const wanted = { ...goods, method: 'yookassa', receiptEmail: 'receipts@example.com' }
  const { number } = await createInvoice(shop.database, deps, wanted, shop.clock.now)
  const externalId = (await findInvoice(shop.database.db, number))?.externalId ?? ''
  await pay({ number, externalId })
  return { number, externalId }
}

async function pay({ number, externalId }: { number: string; externalId: string }) {
  fake.pay(externalId)
  expect(await reconcileInvoice(shop.database, deps, number, shop.clock.now)).toBe('credited')
}

const register = (now = shop.clock.now) => registerReceipts(shop.database, deps, now)
const receipts = (number: string) => receiptsOf(shop.database.db, [number], shop.clock.now)
const states = async (number: string) =>
  (await receipts(number)).map(({ kind, state, price }) => [kind, state, price.micros / 10_000n])
const issued = (kind: 'payment_id' | 'refund_id', id: string | undefined) =>
  [...fake.receipts.values()].filter((receipt) => receipt[kind] === id)

const needs = async (now = shop.clock.now) =>
  (await listReceipts(shop.database.db, { need: 'trouble' }, { before: null, limit: 100 }, now)).map(
    ({ invoiceNumber }) => ['trouble', invoiceNumber],
  )

async function refund(number: string, what: 'all' | bigint) {
  const { database } = shop
  await refundInvoice(database, { number, what, methods: deps.methods }, shop.clock.now)
  const invoice = await findInvoice(database.db, number)
  await sendRefunds(database, deps, shop.clock.now, invoice?.id)
}

describe('a customer without an e-mail', () => {
  it('is asked for one before the order, pays, and gets a receipt for the payment and one for a partial refund', async () => {
    const customer = await telegramCustomer()
    const { db } = shop.database
    const made = fake.payments.size
    expect(await customer.call('receipt_email', {})).toEqual({
      email: null,
      is_own: false,
      needed_for: ['yookassa'],
    })
    expect(await refusalOf(customer.call('create_invoice_web', order))).toMatchObject({
      status: 422,
      code: 'receipt_email_required',
      details: { field: 'receipt_email' },
    })
    const counted = await db
      .selectFrom('invoice')
      .select('id')
      .where('account_id', '=', customer.id)
      .execute()
    expect([counted, fake.payments.size]).toEqual([[], made])
    expect(
      await refusalOf(customer.call('create_invoice_web', { ...order, receipt_email: 'nobody@nowhere' })),
    ).toMatchObject({ status: 422, code: 'invalid_receipt_email' })

    const { number, externalId } = await buy(customer, { receipt_email: 'ivan@example.com' })
    expect(
      JSON.parse(fake.requests.findLast(({ path }) => path === '/v3/payments')?.body ?? ''),
    ).toMatchObject({
      amount: { value: '3237.50' },
      receipt: {
        customer: { email: 'ivan@example.com' },
        items: [
          {
            description: 'Прокси-трафик, резидентский',
            quantity: 10,
            amount: { value: '323.75', currency: 'RUB' },
            vat_code: 11,
            payment_subject: 'service',
            payment_mode: 'full_payment',
            measure: 'gigabyte',
          },
        ],
      },
    })
    // It is used for receipts only, not for signing in.
    expect(await customer.call('receipt_email', {})).toMatchObject({
      email: 'ivan@example.com',
      is_own: true,
    })
    expect((await customer.call('legacy_profile', {}))[0]?.email).toBeNull()
    expect(await receipts(number)).toEqual([])

    await pay({ number, externalId })
    // The traffic is credited whether or not the receipt is registered.
    expect(await customer.call('invoice', { number })).toMatchObject({
      state: 'paid',
      credited: 10_000,
      receipts: [{ kind: 'payment', state: 'pending', email: 'ivan@example.com', registered_at: null }],
    })
    await register()
    expect(await states(number)).toEqual([['payment', 'pending', 323_750n]])
    fake.settleReceipts()
    await register(later(30_000))
    expect(await states(number)).toEqual([['payment', 'pending', 323_750n]])
    expect(await register(later(minute))).toBe(1)
    const [theirs] = issued('payment_id', externalId)
    expect((await customer.call('invoice', { number })).receipts).toEqual([
      {
        kind: 'payment',
        state: 'registered',
        email: 'ivan@example.com',
        fiscal_document_number: theirs?.fiscal_document_number,
        fiscal_storage_number: '9288000100115785',
        fiscal_attribute: '2617603921',
        number: null,
        link: null,
        registered_at: theirs?.registered_at,
      },
    ])

    await refund(number, 14_000_000n)
    const sent = [...fake.refunds.values()].find((one) => one.payment_id === externalId)
    expect(sent?.amount.value).toBe('1295.00')
    const returned = issued('refund_id', sent?.id)
    expect(returned).toMatchObject([
      { type: 'refund', items: [{ quantity: 4, amount: { value: '323.75' }, payment_mode: 'full_payment' }] },
    ])
    fake.settleReceipts()
    expect(await register(later(2 * minute))).toBe(1)
    expect(await states(number)).toEqual([
      ['payment', 'registered', 323_750n],
      ['refund', 'registered', 129_500n],
    ])
    // Registered receipts stay as they are.
    await expect(
      db.updateTable('receipt').set({ state: 'failed' }).where('invoice_number', '=', number).execute(),
    ).rejects.toThrow(/registered and stays|receipt_registered/)
  })

  it('may change it, and return to the address of the account', async () => {
    const customer = await shop.customer()
    expect(await customer.call('receipt_email', {})).toMatchObject({ email: customer.email, is_own: false })
    await customer.call('set_receipt_email', { email: ' other@example.com ' })
    const { number } = await buy(customer)
    expect(fake.requests.at(-1)?.body).toContain('"email":"other@example.com"')
    expect(number).not.toBe('')
    expect(await customer.call('set_receipt_email', { email: null })).toMatchObject({
      email: customer.email,
      is_own: false,
    })
    expect(await refusalOf(customer.call('set_receipt_email', { email: 'no' }))).toMatchObject({
      code: 'invalid_receipt_email',
    })
  })

  it('needs none for other methods', async () => {
    const { call } = await telegramCustomer()
    await call('create_invoice_web', { ...order, payment_method: 'sandbox' })
  })
})

describe('refunds', () => {
  it('of the whole payment carry no receipt, and the one of the processor is found', async () => {
    const { number, externalId } = await paid()
    await refund(number, 'all')
    const body = fake.requests.findLast(
      ({ path, method }) => path === '/v3/refunds' && method === 'POST',
    )?.body
    expect(JSON.parse(body ?? '')).not.toHaveProperty('receipt')
    fake.settleReceipts()
    expect(await register()).toBe(2)
    expect(await states(number)).toEqual([
      ['payment', 'registered', 323_750n],
      ['refund', 'registered', 323_750n],
    ])
    expect(issued('payment_id', externalId)).toHaveLength(1)
  })

  it('whose sum is not a whole thousandth of a GB have one item', async () => {
    const { number, externalId } = await paid()
    await refund(number, 10_000n)
    const sent = [...fake.refunds.values()].find((one) => one.payment_id === externalId)
    expect(issued('refund_id', sent?.id)[0]?.items).toMatchObject([
      { quantity: 1, amount: { value: '0.92' }, measure: 'piece' },
    ])
  })

  it('that the processor refuses owe no receipt, and can be made again with one', async () => {
    const { number } = await paid()
    const { database } = shop
    await refundInvoice(database, { number, what: 'all', methods: deps.methods }, shop.clock.now)
    fake.trouble(400)
    const invoice = await findInvoice(database.db, number)
    await sendRefunds(database, deps, shop.clock.now, invoice?.id)
    expect((await states(number)).at(-1)).toEqual(['refund', 'void', 0n])
    expect(await needs()).not.toContainEqual(['trouble', number])
    fake.calm()
    // In two parts, each with the receipt of its own.
    for (const what of [10_000_000n, 'all'] as const) {
      await refundInvoice(database, { number, what, methods: deps.methods }, shop.clock.now)
      await sendRefunds(database, deps, shop.clock.now, invoice?.id)
    }
    expect((await states(number)).slice(-2)).toEqual([
      ['refund', 'pending', 92_500n],
      ['refund', 'pending', 231_250n],
    ])
  })
})

describe('a prepayment', () => {
  const prepaid = { mode: 'full_prepayment', closingDays: 3 } as const
  const closings = (externalId: string) =>
    issued('payment_id', externalId).filter(({ settlements }) => settlements[0]?.type === 'prepayment')

  it('is closed once when its period ends, despite lost answers', async () => {
    const { number, externalId } = await paid(prepaid)
    expect(issued('payment_id', externalId)[0]?.items?.[0]?.payment_mode).toBe('full_prepayment')
    expect((await states(number)).at(-1)).toEqual(['closing', 'due', 323_750n])
    await register(later(4 * day))
    // Not before the receipt of the payment is registered.
    expect(closings(externalId)).toEqual([])
    fake.settleReceipts()
    await register(later(4 * day + 120 * minute))
    // The query about it is answered; the three attempts to send it are not.
    fake.trouble('none', 'lost', 'lost', 'lost')
    await register(later(4 * day + 125 * minute))
    fake.forgetKeys()
    for (const minutes of [130, 135, 200]) {
      fake.settleReceipts()
      await register(later(4 * day + minutes * minute))
    }
    expect(closings(externalId)).toMatchObject([
      {
        type: 'payment',
        customer: { email: 'receipts@example.com' },
        items: [{ quantity: 10, payment_mode: 'full_payment' }],
        settlements: [{ type: 'prepayment', amount: { value: '3237.50', currency: 'RUB' } }],
      },
    ])
    expect(await states(number)).toEqual([
      ['payment', 'registered', 323_750n],
      ['closing', 'registered', 323_750n],
    ])
    // A refund afterwards is of a settled sale.
    await refund(number, 14_000_000n)
    const body = fake.requests.findLast(
      ({ path, method }) => path === '/v3/refunds' && method === 'POST',
    )?.body
    expect(JSON.parse(body ?? '')).toMatchObject({ receipt: { items: [{ payment_mode: 'full_payment' }] } })
  })

  it('is closed for the rest after a refund, and not at all after a full refund', async () => {
    const [part, whole] = [await paid(prepaid), await paid(prepaid)]
    await refund(part.number, 14_000_000n)
    await refund(whole.number, 'all')
    const sent = [...fake.refunds.values()].find((one) => one.payment_id === part.externalId)
    expect(issued('refund_id', sent?.id)[0]?.items?.[0]?.payment_mode).toBe('full_prepayment')
    for (const days of [0, 4, 5]) {
      fake.settleReceipts()
      await register(later(days * day))
    }
    expect(await states(part.number)).toEqual([
      ['payment', 'registered', 323_750n],
      ['closing', 'registered', 194_250n],
      ['refund', 'registered', 129_500n],
    ])
    expect(closings(part.externalId)).toMatchObject([
      { items: [{ quantity: 6, amount: { value: '323.75' } }] },
    ])
    expect(await states(whole.number)).toContainEqual(['closing', 'void', 0n])
    expect(closings(whole.externalId)).toEqual([])
  })
})

describe('an advance for the money balance', () => {
  it('is registered as one; what it buys settles it, as far as it goes, and a refund reduces that', async () => {
    const { database } = shop
    const { id: accountId } = await telegramCustomer()
    const { number } = await createInvoice(
      database,
      deps,
      {
        accountId,
        pool: 'balance',
        micros: 50_000_000n,
        promocode: null,
        language: 'ru',
        method: 'yookassa',
        receiptEmail: 'receipts@example.com',
      },
      shop.clock.now,
    )
    const externalId = (await findInvoice(database.db, number))?.externalId ?? ''
    await pay({ number, externalId })
    await register(later(minute))
    expect(issued('payment_id', externalId)[0]).toMatchObject({ type: 'payment' })
    const { rows } = await sql<{ item: unknown }>`
      select content->'items'->0 as item from receipt where invoice_number = ${number}`.execute(database.db)
    expect(rows[0]?.item).toMatchObject({
      description: 'Аванс за трафик',
      payment_mode: 'full_prepayment',
      amount: { value: '4625.00', currency: 'RUB' },
    })
    const wish = { accountId, pool: 'residential', gb: 10n, promocode: null, language: 'ru' } as const
    const first = await payFromBalance(database, deps, wish, shop.clock.now)
    const second = await payFromBalance(database, deps, { ...wish, gb: 1n }, shop.clock.now)
    expect(await states(first.number)).toEqual([['closing', 'due', 323_750n]])
    expect(await states(second.number)).toEqual([['closing', 'due', 32_375n]])
    await refundInvoice(database, { number: second.number, what: 'all' }, shop.clock.now)
    expect((await states(second.number))[0]?.[1]).toBe('void')
    fake.settleReceipts()
    await register(later(2 * minute))
    await register(later(4 * minute))
    expect((await states(first.number))[0]?.[1]).not.toBe('due')
  })
})

describe('a receipt that is not registered', () => {
  it('is reported to the operator after three days, and recorded as registered when it arrives later', async () => {
    const { number } = await paid()
    expect(await needs(later(3 * day - minute))).not.toContainEqual(['trouble', number])
    expect(await needs(later(3 * day + minute))).toContainEqual(['trouble', number])
    fake.settleReceipts()
    await register(later(3 * day + minute))
    expect(await needs(later(3 * day + minute))).not.toContainEqual(['trouble', number])
  })

  it('is reported at once when it was cancelled, and may be registered by other means', async () => {
    const { number } = await paid()
    fake.settleReceipts('canceled')
    await register()
    expect(await needs()).toContainEqual(['trouble', number])
    const [failed] = await receipts(number)
    expect(failed).toMatchObject({ state: 'failed', fault: 'cancelled' })
    const mark = { number: 'ФД 17', link: null }
    await transaction(shop.database.db, (tx) => markRegistered(tx, failed?.id ?? 0n, mark, shop.clock.now))
    expect(await needs()).not.toContainEqual(['trouble', number])
    expect(await receipts(number)).toMatchObject([{ state: 'registered', markedAs: 'ФД 17' }])
  })

  it('that was cancelled is queried again: another one may replace it', async () => {
    const { number, externalId } = await paid()
    fake.settleReceipts('canceled')
    await register()
    expect((await states(number))[0]?.[1]).toBe('failed')
    // Not asked for more often than every hour.
    const before = fake.requests.length
    await register(later(30 * minute))
    expect(fake.requests).toHaveLength(before)
    await register(later(61 * minute))
    expect(fake.requests.length).toBeGreaterThan(before)
    expect((await states(number))[0]?.[1]).toBe('failed')
    const cancelled = [...fake.receipts.values()].find(({ payment_id: of }) => of === externalId)
    if (cancelled === undefined) throw new Error('no receipt')
    fake.receipts.set('rt-other', { ...cancelled, id: 'rt-other', status: 'pending' })
    await register(later(130 * minute))
    expect((await receipts(number))[0]).toMatchObject({ state: 'pending', fault: null })
    fake.settleReceipts()
    await register(later(200 * minute))
    expect((await receipts(number))[0]).toMatchObject({
      state: 'registered',
      documentNumber: expect.any(String),
    })
    expect(await needs(later(200 * minute))).not.toContainEqual(['trouble', number])
  })

  it('waits while the processor does not answer', async () => {
    const { number } = await paid()
    fake.trouble(500, 500, 500)
    await register(later(minute))
    expect((await states(number))[0]?.[1]).toBe('pending')
    expect((await receipts(number))[0]?.fault).toContain('500')
  })

  it('of an order made before receipts were enabled is queried as well', async () => {
    const { number } = await (async () => {
      fake.fiscalises = false
      try {
        const { id: accountId } = await telegramCustomer()
        const goods = { accountId, pool: 'residential', gb: 1n, promocode: null, language: 'ru' } as const
        const before = { ...deps, receipts: null }
        const made = await createInvoice(
          shop.database,
          before,
          { ...goods, method: 'yookassa' },
          shop.clock.now,
        )
        return made
      } finally {
        fake.fiscalises = true
      }
    })()
    await pay({ number, externalId: (await findInvoice(shop.database.db, number))?.externalId ?? '' })
    await register()
    expect((await states(number))[0]?.slice(0, 2)).toEqual(['payment', 'pending'])
    expect(await needs(later(4 * day))).toContainEqual(['trouble', number])
  })
})
