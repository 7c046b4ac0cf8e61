import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePart } from '#content'
import { offerCurrency, setRate } from '#rates'
import { transaction } from '#db'
import { pathOf } from '#contract/wire'
import { dayIn } from '#lib/zone'
import { createInvoice, findInvoice, refundInvoice, settle } from '#purchase'
import { accountIdOf, app, type App, type Customer, refusalOf, purchaseDeps } from '#test/app'
import { bareMethod } from '#test/bare-method'
import { textOfPdf } from '#test/pdf'
import { sized } from '#test/size'
import {
  documentFile,
  documentForLetter,
  documentsOf,
  makeDocumentJob,
  makeDocuments,
  noteLostNumbers,
  queueDueDocuments,
  seriesState,
} from './documents.ts'

let shop: App
const deps = { zone: 'Europe/Moscow', isDemo: false }
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' }, methods: [bareMethod('card'), bareMethod('yookassa', 'RUB')] })
  await transaction(shop.database.db, (tx) =>
    setRate(tx, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: new Date() }),
  )
})
afterAll(() => shop.close())

const seller = {
  name: 'ИП Соколов А. В.',
  address: '101000, г. Москва, ул. Мясницкая, д. 15',
  tax_ids: 'ИНН 770123456789',
  bank: 'р/с 40802810600000012345\nБИК 044525974',
  contacts: null,
  tax_note: null,
}
const setSeller = (ru: object | null, en: object | null = null) =>
  transaction(shop.database.db, (tx) => writePart(tx, 'seller', { ru, en }, { by: 'test', at: new Date() }))

interface Bought {
  method?: string
  gb?: bigint
  language?: 'ru' | 'en'
  micros?: bigint
}

/** Orders 10 GB for 35 USD and pays; returns the number of the invoice. */
async function buy(customer: Customer, { method = 'card', gb = 10n, language = 'ru', micros }: Bought = {}) {
  const accountId = BigInt(await accountIdOf(customer))
  const order = { accountId, pool: 'residential', gb, promocode: null, language, method } as const
  const { number } = await createInvoice(shop.database, purchaseDeps(shop.services), order, new Date())
  await pay(number, method, micros ?? gb * 3_500_000n)
  return number
}

const pay = (number: string, method: string, receivedMicros: bigint, at = new Date()) =>
  settle(
    shop.database,
    purchaseDeps(shop.services),
    method,
    { invoiceNumber: number, outcome: 'received', externalPaymentId: randomUUID(), receivedMicros },
    at,
  )

const invoiceOf = async (number: string) => {
  const invoice = await findInvoice(shop.database.db, number)
  if (invoice === null) throw new Error('it was just made')
  return invoice
}

async function make(number: string, at = new Date()) {
  const { id } = await invoiceOf(number)
  await makeDocuments(shop.database, deps, id, at)
  return documentsOf(shop.database.db, id)
}

async function textOf(number: string, which = 0): Promise<string> {
  const { id: invoiceId } = await invoiceOf(number)
  const documents = await documentsOf(shop.database.db, invoiceId)
  const file = await documentFile(shop.database.db, { id: documents[which]?.id ?? 0n, invoiceId })
  return textOfPdf(file?.bytes ?? new Uint8Array())
}

const lastOf = async (series: string) => {
  const { rows } = await sql<{ last: bigint }>`
    select last_number as last from document_series where series = ${series}`.execute(shop.database.db)
  return rows[0]?.last ?? 0n
}

/** Numbers of a series are 1, 2, 3 … without a gap, and the counter is at the last of them. */
async function expectGapless() {
  const { rows } = await sql<{ series: string; numbers: bigint[] }>`
    select series, array_agg(number order by number) as numbers from document group by series`.execute(
    shop.database.db,
  )
  for (const { series, numbers } of rows) {
    expect(numbers.map(Number), series).toEqual(numbers.map((_, index) => index + 1))
    expect(await lastOf(series)).toBe(BigInt(numbers.length))
  }
}

it('a document waits until the seller is set, and no number is used before', async () => {
  const customer = await shop.customer()
  const number = await buy(customer)
  expect(await make(number)).toEqual([])
  expect(await queueDueDocuments(shop.database, deps, new Date())).toBe(0)
  expect(await lastOf('invoice')).toBe(0n)
  await setSeller(seller)
  expect(await queueDueDocuments(shop.database, deps, new Date())).toBe(1)
  const { id } = await invoiceOf(number)
  await makeDocumentJob(shop.database, deps, { invoice_id: String(id) }, new Date())
  expect(await documentsOf(shop.database.db, id)).toMatchObject([
    { kind: 'invoice', number: '000001', amountMicros: 35_000_000n, isSpecimen: false },
  ])
})

describe('an invoice', () => {
  it('states seller, buyer, goods and price, in the language of the order', async () => {
    const customer = await shop.customer()
    const details = { name: 'ООО «Ромашка»', address: 'Невский пр., д. 1', tax_id: '7801234567' }
    await customer.call('set_buyer_details', details)
    const number = await buy(customer, { gb: 100n, micros: 315_000_000n })
    await make(number, new Date('2031-12-31T22:30:00Z'))
    const text = await textOf(number)
    for (const part of [
      'Счёт',
      'ИП Соколов А. В.',
      'ИНН 770123456789',
      'БИК 044525974',
      'ООО «Ромашка»',
      'ИНН 7801234567',
      customer.email,
      'Прокси-трафик, пул «Резидентский»',
      '100 ГБ',
      '350,00',
      'Скидка за объём 10 %',
      '−35,00',
      '315,00 USD',
      'Банковская карта',
      number,
      // The zone of the shop is three hours ahead.
      '1 января 2032 г.',
    ])
      expect(text.replaceAll('\u00a0', ' ')).toContain(part)
    // The English document has the seller's details in the language in which they exist.
    const english = await buy(customer, { language: 'en' })
    await make(english)
    expect(await textOf(english)).toMatch(/^Invoice$/m)
    expect(await textOf(english)).toContain('ИП Соколов А. В.')
  })

  it('states the amount collected in another currency, and its rate', async () => {
    const number = await buy(await shop.customer(), { method: 'yookassa', language: 'en' })
    await make(number)
    const text = await textOf(number)
    expect(text).toContain('3,237.50 RUB')
    expect(text).toContain('92.50 RUB for 1 USD')
  })

  it('states the amount in the currency shown to the customer, at the frozen rate', async () => {
    const { db } = shop.database
    await transaction(db, (tx) => offerCurrency(tx, 'EUR', shop.clock.now))
    await setRate(db, { currency: 'EUR', perUsdMicros: 921_300n, setAt: shop.clock.now })
    const customer = await shop.customer()
    await customer.call('set_display_currency', { currency: 'EUR' })
    const number = await buy(customer, { language: 'en' })
    await setRate(db, { currency: 'EUR', perUsdMicros: 500_000n, setAt: shop.clock.now })
    await make(number)
    const text = await textOf(number)
    expect(text).toContain('32.25 EUR')
    expect(text).toContain('0.9213 EUR for 1 USD')
  })

  it('is made once: neither a repetition nor a change of seller, buyer or brand changes a byte', async () => {
    const { db } = shop.database
    const customer = await shop.customer()
    const number = await buy(customer)
    const [made] = await make(number)
    const { id: invoiceId } = await invoiceOf(number)
    const ask = () => documentFile(db, { id: made?.id ?? 0n, invoiceId })
    const before = await ask()
    await setSeller({ ...seller, name: 'Другой продавец' })
    await customer.call('set_buyer_details', { name: 'Другой', address: '', tax_id: '' })
    await transaction(db, (tx) => writePart(tx, 'brand', { name: 'Other' }, { by: 'test', at: new Date() }))
    expect(await make(number)).toEqual([made])
    const after = await ask()
    expect(after).toEqual(before)
    expect(
      createHash('sha256')
        .update(after?.bytes ?? '')
        .digest('hex'),
    ).toBe(made?.sha256)
    await setSeller(seller)
    for (const change of [`set bytes = ''`, 'set number = 99', `set facts = '{}'`])
      await expect(shop.database.pool.query(`update document ${change}`)).rejects.toThrow('stays')
    await expect(shop.database.pool.query('delete from document')).rejects.toThrow('stays')
    await expect(
      shop.database.pool.query(`update document_series set last_number = last_number + 1`),
    ).rejects.toThrow('has no document')
    await expect(
      shop.database.pool.query(`update document_series set last_number = last_number - 1`),
    ).rejects.toThrow('only advances')
  })

  it('has numbers without gaps when many are made at once, some of them twice and some rolled back', async () => {
    const customer = await shop.customer()
    const numbers: string[] = []
    for (let made = 0; made < 12; made++) numbers.push(await buy(customer))
    const open = await createInvoice(
      shop.database,
      purchaseDeps(shop.services),
      {
        accountId: BigInt(await accountIdOf(customer)),
        pool: 'residential',
        gb: 1n,
        promocode: null,
        language: 'ru',
        method: 'card',
      },
      new Date(),
    )
    const failing = async () =>
      transaction(shop.database.db, async (tx) => {
        const { id } = await invoiceOf(numbers[0] ?? '')
        await makeDocuments({ ...shop.database, db: tx }, deps, id, new Date())
        throw new Error('the process was killed')
      })
    await Promise.allSettled([
      failing(),
      ...[...numbers, ...numbers, open.number].map((number) => make(number)),
    ])
    for (const number of numbers) expect(await make(number)).toHaveLength(1)
    expect(await make(open.number)).toEqual([])
    await expectGapless()
  })

  it('for a part of the price waits three days for the rest; all documents add up to all money', async () => {
    const number = await buy(await shop.customer(), { micros: 20_000_000n })
    expect(await make(number)).toEqual([])
    await pay(number, 'card', 15_000_000n)
    expect(await make(number)).toMatchObject([{ amountMicros: 35_000_000n }])
    await pay(number, 'card', 2_000_000n)
    expect(await make(number)).toMatchObject([{ amountMicros: 35_000_000n }, { amountMicros: 2_000_000n }])
    expect(await textOf(number, 1)).toContain('Получено сверх цены заказа')
    const left = await buy(await shop.customer(), { micros: 20_000_000n })
    const later = new Date(Date.now() + 3 * 24 * 3_600_000)
    expect(await make(left, later)).toMatchObject([{ amountMicros: 20_000_000n }])
    expect(await textOf(left)).toContain('5,714285714')
  })

  it('of a test purchase or of a demo is a specimen, and uses no number of the sales series', async () => {
    const before = await lastOf('invoice')
    const customer = await shop.customer()
    const test = await shop.buy(customer, { pool: 'mobile', gb: 1 })
    expect(await make(test)).toMatchObject([{ isSpecimen: true, number: '000001' }])
    expect(await textOf(test)).toContain('ОБРАЗЕЦ')
    const demo = await buy(customer)
    const { id } = await invoiceOf(demo)
    await makeDocuments(shop.database, { ...deps, isDemo: true }, id, new Date())
    expect(await documentsOf(shop.database.db, id)).toMatchObject([{ isSpecimen: true, number: '000002' }])
    expect(await lastOf('invoice')).toBe(before)
    await expectGapless()
  })
})

describe('a credit note', () => {
  it('has a series of its own and names the invoice, of a whole refund and of a part', async () => {
    const customer = await shop.customer()
    const number = await buy(customer)
    const [sale] = await make(number)
    await refundInvoice(shop.database, { number, what: 10_000_000n }, new Date())
    expect(await make(number)).toMatchObject([sale, { kind: 'credit_note', amountMicros: 10_000_000n }])
    const text = await textOf(number, 1)
    expect(text).toContain('Кредит-нота')
    expect(text).toContain(`К счёту № ${sale?.number}`)
    expect(text.replaceAll('\u00a0', ' ')).toContain('2,857142857 ГБ')
    // The later part has its own date, not that of the first part.
    const later = new Date(Date.now() + 40 * 24 * 60 * 60_000)
    await refundInvoice(shop.database, { number, what: 5_000_000n }, later)
    const { id } = await invoiceOf(number)
    await makeDocuments(shop.database, deps, id, later)
    const { rows } = await shop.database.pool.query<{ day: string }>(
      `select facts ->> 'paid_on' as day from document where invoice_id = $1 and kind = 'credit_note' order by id`,
      [id],
    )
    expect(rows.map(({ day }) => day)).toEqual([dayIn(deps.zone, new Date()), dayIn(deps.zone, later)])
    // Refunded before its document was made: both are made, in this order.
    const quick = await buy(customer)
    await refundInvoice(shop.database, { number: quick, what: 'all' }, new Date())
    expect((await make(quick)).map(({ kind }) => kind)).toEqual(['invoice', 'credit_note'])
    await expectGapless()
  })
})

it('the invoice is attached to the letter about a payment, the credit note to that about a refund', async () => {
  const customer = await shop.customer()
  const number = await buy(customer, { language: 'en' })
  const file = (kind: 'invoice' | 'credit_note') =>
    documentForLetter(shop.database, deps, { number, kind }, new Date())
  expect((await file('invoice'))?.name).toMatch(/^invoice-/)
  expect(await file('credit_note')).toBeNull()
  await refundInvoice(shop.database, { number, what: 10_000_000n }, new Date())
  const note = await file('credit_note')
  expect(note).toMatchObject({ contentType: 'application/pdf', name: expect.stringMatching(/^credit-note-/) })
  expect(textOfPdf(note?.bytes ?? new Uint8Array())).toContain('Credit note')
  const letters = async (template: string) =>
    (
      await shop.database.db
        .selectFrom('mail')
        .select(['data', 'language'])
        .where('recipient', '=', customer.email)
        .where('template', '=', template)
        .execute()
    ).map(({ data, language }) => ({ ...(data as object), language }))
  expect(await letters('payment_refunded')).toEqual([
    {
      invoice: number,
      short_number: expect.stringMatching(/^\d{4}-\d{6}$/),
      pool: 'residential',
      refunded_micros: '10000000',
      taken_back_bytes: '2857142857',
      to_balance: false,
      language: 'en',
    },
  ])
  expect(await letters('payment_received')).toHaveLength(1)
})

it('the numbering continues after numbers that a restored database has lost', async () => {
  const last = await lastOf('invoice')
  const note = (number: bigint) =>
    transaction(shop.database.db, (tx) =>
      noteLostNumbers(
        tx,
        { series: 'invoice', last: number },
        { by: 'test', reason: 'a restore', at: new Date() },
      ),
    )
  await expect(note(last)).rejects.toMatchObject({ code: 'document_numbers_given' })
  expect(await note(last + 5n)).toEqual({ first: last + 1n, last: last + 5n })
  const number = await buy(await shop.customer())
  expect(await make(number)).toMatchObject([{ number: String(last + 6n).padStart(6, '0') }])
  expect((await seriesState(shop.database.db)).find(({ series }) => series === 'invoice')).toMatchObject({
    last: last + 6n,
    lost: 5n,
  })
})

describe('the calls', () => {
  it('give a customer their own documents, and nobody else’s', async () => {
    const [customer, other] = [await shop.customer(), await shop.customer()]
    const [number, others] = [await buy(customer), await buy(other)]
    await make(number)
    await make(others)
    const [listed] = await customer.call('invoice_documents', { number })
    const [foreign] = await other.call('invoice_documents', { number: others })
    expect(listed).toMatchObject({ kind: 'invoice', specimen: false, amount_usd: 35 })
    const get = (token: string | null, query: Record<string, string>) =>
      fetch(`${shop.origin}${pathOf('invoice_document')}?${new URLSearchParams(query).toString()}`, {
        headers: token === null ? {} : { authorization: `Bearer ${token}` },
      })
    const answer = await get(customer.token, { number, id: listed?.id ?? '' })
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="invoice-${listed?.number}.pdf"`,
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(listed?.sha256)
    const attempts: [string | null, Record<string, string>, number][] = [
      [null, { number, id: listed?.id ?? '' }, 401],
      [other.token, { number, id: listed?.id ?? '' }, 404],
      // The customer's own invoice with the document of another.
      [other.token, { number: others, id: listed?.id ?? '' }, 404],
      [customer.token, { number, id: foreign?.id ?? '' }, 404],
      [customer.token, { number, id: '0' }, 404],
      [customer.token, { number, id: '-1' }, 404],
      [customer.token, { number, id: '1e3' }, 404],
      [customer.token, { number: '\0', id: '1' }, 422],
    ]
    for (const [token, query, status] of attempts) {
      const refused = await get(token, query)
      expect([refused.status, refused.headers.get('content-type')], JSON.stringify(query)).toEqual([
        status,
        'application/json; charset=utf-8',
      ])
    }
    expect(await refusalOf(other.call('invoice_documents', { number }))).toMatchObject({
      code: 'invoice_not_found',
    })
  })

  it('store details that can be printed, and delete them', async () => {
    const customer = await shop.customer()
    const details = { name: ' Petrova GmbH ', address: 'Lindenstraße 12', tax_id: '' }
    const kept = { ...details, name: 'Petrova GmbH' }
    expect(await customer.call('set_buyer_details', details)).toEqual(kept)
    expect(await customer.call('buyer_details', {})).toEqual(kept)
    const set = (changed: object) => refusalOf(customer.call('set_buyer_details', { ...details, ...changed }))
    expect(await set({ name: '株式会社' })).toMatchObject({ code: 'buyer_details_letters', status: 422 })
    expect(await set({ address: 'a\u0000b' })).toMatchObject({ code: 'invalid_address' })
    expect(await set({ address: 'a\u0001b' })).toMatchObject({ code: 'buyer_details_letters' })
    expect(await set({ name: ' ' })).toMatchObject({ code: 'buyer_name_missing' })
    const nothing = { name: '', address: '', tax_id: '' }
    expect(await customer.call('set_buyer_details', nothing)).toEqual(nothing)
    expect(await customer.call('buyer_details', {})).toEqual(nothing)
  })
})

it('a document treats any input as plain text', async () => {
  const { renderDocument } = await import('./pdf.ts')
  const row = await shop.database.db.selectFrom('document').select('facts').limit(1).executeTakeFirstOrThrow()
  const facts = row.facts as never as Parameters<typeof renderDocument>[0]
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      ') Tj ET endstream endobj',
      '(\\)<</JS(app.alert(1))/S/JavaScript>>',
      '\u202Egnp.exe\u202C',
      '=HYPERLINK("https://evil.example")',
      'שלום עולם',
      '👨‍👩‍👧',
      'W'.repeat(200),
      '',
    ),
  )
  await fc.assert(
    fc.asyncProperty(hostile, hostile, fc.constantFrom('ru', 'en'), async (name, address, language) => {
      const buyer = { ...facts.buyer, username: name, details: { name, address, tax_id: name } }
      const asked = { ...facts, language, buyer, order: name, method_name: address }
      const bytes = await renderDocument(asked as typeof facts, { logo: null, at: new Date(0) })
      const plain = bytes.toString('latin1')
      expect(plain).not.toMatch(/\/JS|\/JavaScript|\/URI|\/Launch|\/EmbeddedFile/)
      expect(plain.match(/\/Type \/Page\b/g)).toHaveLength(1)
      expect(bytes.length).toBeLessThan(200_000)
      textOfPdf(bytes)
    }),
    { numRuns: sized(5, 15) },
  )
})
