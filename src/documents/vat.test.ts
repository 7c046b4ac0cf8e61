import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePart } from '#content'
import { transaction } from '#db'
import { createInvoice, findInvoice, refundInvoice, settle } from '#purchase'
import { setRate } from '#rates'
import type { ReceiptSettings } from '#receipts'
import { accountIdOf, app, type App, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { textOfPdf } from '#test/pdf'
import { documentFile, documentsOf, makeDocuments } from './documents.ts'
import { vatIn } from './facts.ts'

let shop: App
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, methods: [bareMethod('card'), bareMethod('yookassa', 'RUB')] })
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

const receipts = (vatCode: number): ReceiptSettings => ({
  registrar: 'yookassa',
  vatCode,
  taxSystemCode: null,
  subject: 'service',
  mode: 'full_payment',
  measure: 'gigabyte',
  itemName: 'Прокси-трафик, {pool}',
  closingDays: 0,
})

/** Ten GB for 35 USD, 3237.50 RUB: the texts of the documents, after a refund of 10 USD. */
async function documents(vatCode: number, { method = 'yookassa', language = 'ru' as 'ru' | 'en' } = {}) {
  const { database } = shop
  const accountId = BigInt(await accountIdOf(await shop.customer()))
  const deps = { ...purchaseDeps(shop.services), receipts: receipts(vatCode) }
  const order = { accountId, pool: 'residential', gb: 10n, promocode: null, language, method } as const
  const { number } = await createInvoice(database, deps, order, new Date())
  const paid = { invoiceNumber: number, outcome: 'received', externalPaymentId: randomUUID() } as const
  await settle(database, deps, method, { ...paid, receivedMicros: 35_000_000n }, new Date())
  const invoice = await findInvoice(database.db, number)
  if (invoice === null) throw new Error('it was just made')
  const make = () => makeDocuments(database, { zone: 'Europe/Moscow', isDemo: false }, invoice.id, new Date())
  await make()
  await refundInvoice(database, { number, what: 10_000_000n }, new Date())
  await make()
  const texts: string[] = []
  for (const { id } of await documentsOf(database.db, invoice.id)) {
    const file = await documentFile(database.db, { id, invoiceId: invoice.id })
    texts.push(textOfPdf(file?.bytes ?? new Uint8Array()).replaceAll('\u00a0', ' '))
  }
  return texts
}

describe('the VAT on documents', () => {
  it.each([
    [4, 'В том числе НДС 20 %', '539,58 RUB', '154,17 RUB'],
    [11, 'В том числе НДС 22 %', '583,81 RUB', '166,80 RUB'],
    [9, 'В том числе НДС 5/105', '154,17 RUB', '44,05 RUB'],
    [2, 'В том числе НДС 0 %', '0,00 RUB', '0,00 RUB'],
  ])(
    'of code %i is a part of what was paid and of what was returned',
    async (code, label, paid, returned) => {
      const [sale, refund] = await documents(code)
      for (const [text, amount] of [
        [sale, paid],
        [refund, returned],
      ] as const) {
        expect(text).toContain(label)
        expect(text).toContain(amount)
      }
    },
  )

  it('is in the language of the order', async () => {
    const [sale] = await documents(12, { language: 'en' })
    expect(sale).toContain('Including VAT 22/122')
    expect(sale).toContain('583.81 RUB')
  })

  it('is not mentioned where the receipt says that there is none, and where no receipt is sent', async () => {
    for (const text of [...(await documents(1)), ...(await documents(4, { method: 'card' }))])
      expect(text).not.toMatch(/НДС|VAT/)
  })

  it('is the nearest cent to its part of the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.bigInt({ min: 1n, max: 10n ** 12n }), (code, cents) => {
        const micros = cents * 10_000n
        const vat = vatIn(code, { currency: 'RUB', micros })
        const percent = BigInt(vat?.rate.split('/')[0] ?? '-1')
        const off = BigInt(vat?.micros ?? -1) * (100n + percent) - micros * percent
        expect(BigInt(vat?.micros ?? -1) % 10_000n).toBe(0n)
        expect(2n * off <= 10_000n * (100n + percent) && 2n * off > -10_000n * (100n + percent)).toBe(true)
      }),
    )
    expect(vatIn(1, { currency: 'RUB', micros: 1n })).toBeNull()
    expect(vatIn(13, { currency: 'RUB', micros: 1n })).toBeNull()
  })
})
