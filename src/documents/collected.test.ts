/** The amounts of documents in the currency of the processor, which are those of payments and refunds. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writePart } from '#content'
import { transaction } from '#db'
import type { Finding } from '#payments'
import { createInvoice, findInvoice, refundInvoice, refundsOf, settle } from '#purchase'
import { setRate } from '#rates'
import { accountIdOf, app, type App, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { makeDocuments } from './documents.ts'
import type { Facts } from './facts.ts'

let shop: App
beforeAll(async () => {
  shop = await app({
    env: {
      DEMO: '0',
      YOOKASSA_SHOP_ID: '424242',
      YOOKASSA_SECRET_KEY: 'live_fakeSecretKeyOfYookassa',
      RECEIPTS: 'yookassa',
      RECEIPTS_VAT_CODE: '11',
    },
    methods: [bareMethod('yookassa', 'RUB')],
  })
  const seller = {
    name: 'ООО «Трафик»',
    address: 'Москва',
    tax_ids: 'ИНН 7701234567',
    bank: null,
    contacts: null,
    tax_note: null,
  }
  await transaction(shop.database.db, async (tx) => {
    await setRate(tx, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: new Date() })
    await writePart(tx, 'seller', { ru: seller, en: null }, { by: 'test', at: new Date() })
  })
})
afterAll(() => shop.close())

const rub = (kopecks: bigint) => ({ currency: 'RUB', micros: kopecks * 10_000n })
/** 35 USD. */
const price = rub(323_750n)

/** A paid order of ten GB, with its invoice document. */
async function sold() {
  const { database } = shop
  const deps = purchaseDeps(shop.services)
  const accountId = BigInt(await accountIdOf(await shop.customer()))
  const order = { accountId, pool: 'residential', gb: 10n, promocode: null, language: 'ru' } as const
  const { number } = await createInvoice(database, deps, { ...order, method: 'yookassa' }, new Date())
  const { id, externalId } = (await findInvoice(database.db, number)) ?? { id: 0n, externalId: null }
  const report = async (refunds: Finding['refunds']) => {
    const finding: Finding = {
      externalId: externalId ?? '',
      invoiceNumber: number,
      status: 'received',
      price,
      receivedMicros: price.micros,
      isTest: false,
      isDisputed: false,
      ...(refunds === undefined ? {} : { refunds }),
    }
    return settle(database, deps, 'yookassa', finding, new Date())
  }
  const make = () => makeDocuments(database, { zone: 'Europe/Moscow', isDemo: false }, id, new Date())
  const refund = (what: 'all' | bigint) => refundInvoice(database, { number, what }, new Date())
  /** Kind, amount and VAT of each document, in kopecks. */
  const stated = async () => {
    const rows = await database.db
      .selectFrom('document')
      .select('facts')
      .where('invoice_id', '=', id)
      .orderBy('id')
      .execute()
    return rows.map(({ facts }) => {
      const { kind, collected, vat } = facts as unknown as Facts
      return [kind, BigInt(collected?.micros ?? -1) / 10_000n, BigInt(vat?.micros ?? -1) / 10_000n]
    })
  }
  expect(await report(undefined)).toBe('credited')
  await make()
  return { id, report, make, refund, stated }
}

const invoice = ['invoice', 323_750n, 58_381n]
const cabinet = (kopecks: bigint, state: 'sent' | 'failed' = 'sent', refundId: string = randomUUID()) => ({
  refundId,
  name: null,
  price: rub(kopecks),
  state,
  madeAt: new Date(),
  feeMicros: null,
})

it('a credit note states the amount that was returned; all of them add up to the invoice', async () => {
  const { id, make, refund, stated } = await sold()
  for (const what of [10_010_000n, 10_010_000n, 'all'] as const) {
    await refund(what)
    await make()
  }
  expect(await stated()).toEqual([
    invoice,
    ['credit_note', 92_592n, 16_697n],
    ['credit_note', 92_592n, 16_697n],
    ['credit_note', 138_566n, 24_987n],
  ])
  const made = await refundsOf(shop.database.db, id)
  expect(made.map((one) => one.price)).toEqual([rub(92_592n), rub(92_592n), rub(138_566n)])
})

it('a credit note states the amount that the processor reports, alone or with a refund of the shop', async () => {
  const { make, refund, report, stated } = await sold()
  const first = cabinet(100_000n)
  expect(await report([first])).toBe('returned')
  await make()
  expect(await stated()).toEqual([invoice, ['credit_note', 100_000n, 18_033n]])
  await refund(10_010_000n)
  expect(await report([first, cabinet(100_100n)])).toBe('returned')
  await make()
  expect((await stated()).at(-1)).toEqual(['credit_note', 192_692n, 34_748n])
  await refund('all')
  await make()
  expect((await stated()).at(-1)).toEqual(['credit_note', 31_058n, 5601n])
})

it('the invoice of a sale that stands again states the amount of the refund that came back', async () => {
  const { make, refund, report, stated } = await sold()
  const first = cabinet(100_000n)
  await report([first])
  await make()
  expect(await report([{ ...first, state: 'failed' }])).toBe('returned')
  await make()
  expect((await stated()).at(-1)).toEqual(['invoice', 100_000n, 18_033n])
  await refund('all')
  await make()
  expect((await stated()).at(-1)).toEqual(['credit_note', 323_750n, 58_381n])
})

it('credit notes never state more than was paid', async () => {
  const { make, refund, report, stated } = await sold()
  await refund(20_000_000n)
  await make()
  // Staff had sent the same money, and the whole of the payment was returned at the processor as well.
  await report([cabinet(323_750n)])
  await make()
  expect(await stated()).toEqual([
    invoice,
    ['credit_note', 185_000n, 33_361n],
    ['credit_note', 138_750n, 25_020n],
  ])
})
