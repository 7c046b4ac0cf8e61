import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findLostSales, reconcileInvoices, recoverSale, settle } from '#purchase'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { purchaseDeps } from '../../src/main/services.ts'
import { FakeBtcpay } from './btcpay.ts'
import { alterMetadata, lostSales } from './lost.sales.ts'
import { processorSuite } from './suite.ts'

const fake = new FakeBtcpay()

const desk = processorSuite(
  'crypto',
  async () => {
    await fake.start()
    const { apiKey, storeId, webhookSecret, url } = fake
    const publicUrl = new URL('http://localhost:3000')
    return {
      fake,
      method: btcpayMethod({ url, apiKey, storeId, webhookSecret, publicUrl, timeoutMs: 1500 }),
      made: () => [...fake.invoices.keys()],
      pay: (externalId) => fake.pay(externalId),
      notify: (externalId, { at = new Date(), serial = 0 } = {}) =>
        event(externalId, 'InvoiceSettled', at, serial),
      alter: (externalId, { currency, amount, number }) => {
        const invoice = fake.invoices.get(externalId)
        if (invoice === undefined) throw new Error(`no invoice ${externalId}`)
        if (currency !== undefined) invoice.currency = currency
        if (amount !== undefined) invoice.amount = amount
        if (number !== undefined) invoice.metadata['orderId'] = number
      },
    }
  },
  () => ({
    forgeries: ({ headers, body }) => {
      const signature = headers['btcpay-sig'] ?? ''
      return [
        ['no signature', { headers: {}, body }],
        ['no scheme', { headers: { 'btcpay-sig': signature.slice(7) }, body }],
        ['short', { headers: { 'btcpay-sig': signature.slice(0, -2) }, body }],
        ['not hex', { headers: { 'btcpay-sig': `sha256=${'g'.repeat(64)}` }, body }],
        ['an empty key', { headers: { 'btcpay-sig': fake.sign(body, '') }, body }],
        ['re-serialised', { headers, body: JSON.stringify(JSON.parse(body)) }],
      ]
    },
    wrongAmount: '3.50',
    badTime: 200,
    hasTestMode: false,
    refunds: () => fake.pullPayments.map(({ amount, currency }) => ({ amount, currency })),
    refund: { amount: '35.00', currency: 'USD' },
  }),
)

/** As BTCPay formats them: indented. */
function event(invoiceId: string, type: string, at = new Date(), serial = 0, storeId = fake.storeId) {
  const deliveryId = serial === 0 ? 'delivery-0' : randomUUID()
  const timestamp = Math.floor(at.getTime() / 1000)
  const fields = {
    deliveryId,
    webhookId: 'hook',
    originalDeliveryId: deliveryId,
    isRedelivery: false,
    type,
    timestamp,
    storeId,
    invoiceId,
  }
  const body = JSON.stringify(fields, null, 2)
  return { headers: { 'btcpay-sig': fake.sign(body) }, body }
}

describe('crypto: partial and late sums', () => {
  const ordered = async () => desk().order(await desk().shop.customer())
  const announce = async (externalId: string, type: string) =>
    expect(await desk().deliver(event(externalId, type, new Date(), 1))).toBe(200)

  it('waits while a payment is not confirmed, and credits it when it is', async () => {
    const { number, externalId } = await ordered()
    fake.become(externalId, 'Processing', { paid: '35.00', payment: 'Processing' })
    await announce(externalId, 'InvoiceProcessing')
    expect(await desk().invoice(number)).toMatchObject({ state: 'pending', checked_verdict: 'waiting' })
    fake.become(externalId, 'Settled', { paid: '35.00' })
    await announce(externalId, 'InvoiceSettled')
    // Processing again, out of order: the query returns settled.
    await announce(externalId, 'InvoiceProcessing')
    expect(await desk().invoice(number)).toMatchObject({ state: 'paid', credited_bytes: 10_000_000_000n })
  })

  it('underpaid: credits the worth of the received sum, and the rest when that arrives late', async () => {
    const { number, externalId } = await ordered()
    fake.become(externalId, 'New', { paid: '17.50', additional: 'PaidPartial' })
    await announce(externalId, 'InvoiceReceivedPayment')
    expect(await desk().invoice(number)).toMatchObject({ state: 'pending', received_micros: 0n })
    fake.become(externalId, 'Expired', { paid: '17.50', additional: 'PaidPartial', payment: 'Processing' })
    await announce(externalId, 'InvoiceExpired')
    expect(await desk().invoice(number)).toMatchObject({ state: 'pending', received_micros: 0n })
    fake.become(externalId, 'Expired', { paid: '17.50', additional: 'PaidPartial' })
    await announce(externalId, 'InvoicePaymentSettled')
    expect(await desk().invoice(number)).toMatchObject({
      state: 'underpaid',
      received_micros: 17_500_000n,
      credited_bytes: 5_000_000_000n,
    })
    fake.become(externalId, 'Expired', { paid: '35.0000004', additional: 'PaidLate' })
    const { database, services, clock } = desk().shop
    // Without a notification: the poller checks underpaid invoices too.
    const later = new Date(clock.now.getTime() + 15 * 60_000)
    await reconcileInvoices(database, purchaseDeps(services), later)
    expect(await desk().invoice(number)).toMatchObject({
      state: 'paid',
      received_micros: 35_000_000n,
      credited_bytes: 10_000_000_000n,
    })
  })

  it('credits the largest of several concurrently settled sums, and no more', async () => {
    const { number, externalId } = await ordered()
    const { database, services, clock } = desk().shop
    const totals = [10n, 35n, 20n, 30n, 35n, 5n].map((usd) => usd * 1_000_000n)
    await Promise.all(
      totals.map((receivedMicros) =>
        settle(
          database,
          purchaseDeps(services),
          'crypto',
          {
            externalId,
            invoiceNumber: number,
            status: 'received',
            price: { currency: 'USD', micros: 35_000_000n },
            receivedMicros,
            isTest: false,
            isDisputed: false,
          },
          clock.now,
        ),
      ),
    )
    expect(await desk().invoice(number)).toMatchObject({
      state: 'paid',
      received_micros: 35_000_000n,
      credited_bytes: 10_000_000_000n,
    })
  })

  it('overpaid: credits the amount bought and shows the amount received', async () => {
    const { number, externalId } = await ordered()
    fake.become(externalId, 'Settled', { paid: '50.123456789', additional: 'PaidOver' })
    await announce(externalId, 'InvoiceSettled')
    expect(await desk().invoice(number)).toMatchObject({
      state: 'paid',
      received_micros: 50_123_456n,
      credited_bytes: 10_000_000_000n,
    })
  })

  it('late: credits an invoice that had expired', async () => {
    const { number, externalId } = await ordered()
    await desk()
      .shop.database.db.updateTable('invoice')
      .set({ state: 'expired' })
      .where('number', '=', number)
      .execute()
    fake.become(externalId, 'Expired', { paid: '35.00', additional: 'PaidLate' })
    await announce(externalId, 'InvoicePaymentSettled')
    expect(await desk().invoice(number)).toMatchObject({ state: 'paid', credited_bytes: 10_000_000_000n })
  })

  it('settled by hand without money: credits nothing', async () => {
    const { number, externalId } = await ordered()
    fake.become(externalId, 'Settled', { paid: '0', additional: 'Marked' })
    await announce(externalId, 'InvoiceSettled')
    expect(await desk().invoice(number)).toMatchObject({ state: 'pending', received_micros: 0n })
  })

  it('invalid: ends the invoice', async () => {
    const { number, externalId } = await ordered()
    fake.become(externalId, 'Invalid', { paid: '35.00', payment: 'Processing' })
    await announce(externalId, 'InvoiceInvalid')
    expect(await desk().invoice(number)).toMatchObject({ state: 'cancelled', received_micros: 0n })
  })
})

it('the adapter does not act on another store that shares the secret', async () => {
  const { externalId } = await desk().order(await desk().shop.customer())
  fake.pay(externalId)
  expect(await desk().deliver(event(externalId, 'InvoiceSettled', new Date(), 1, 'AnotherStore'))).toBe(200)
  expect((await desk().verdicts()).at(-1)).toBe('another_shop')
})

it('the adapter never requests an invoice without an amount, and names the order', async () => {
  const { number } = await desk().order(await desk().shop.customer())
  const made = fake.requests.findLast(({ method, path }) => method === 'POST' && path.endsWith('/invoices'))
  expect(JSON.parse(made?.body ?? '')).toMatchObject({
    amount: '35.00',
    currency: 'USD',
    metadata: { orderId: number },
    checkout: { expirationMinutes: 60, paymentTolerance: 0, defaultLanguage: 'ru-RU' },
  })
})

lostSales('crypto', desk, (id, change) => alterMetadata(fake.invoices.get(id)?.metadata, change))

describe('lost sales at BTCPay', () => {
  const sales = async (number: string) => {
    const since = new Date(Date.now() - 60_000)
    const { shop } = desk()
    const found = await findLostSales(shop.database, purchaseDeps(shop.services), { since })
    return found.sales.filter(({ payment }) => payment.invoiceNumber === number)
  }

  it('paid in part are credited for that part, and those with a refund are left to the operator', async () => {
    const { shop, order } = desk()
    const [part, refunded] = [await order(await shop.customer()), await order(await shop.customer())]
    fake.become(part.externalId, 'Expired', { additional: 'PaidPartial', paid: '17.50' })
    fake.pay(refunded.externalId)
    fake.pullPayments.push({
      id: 'pp',
      name: `Refund ${refunded.number}`,
      amount: '1.00',
      currency: 'USD',
      viewLink: 'https://btcpay.example.net/pull-payments/pp',
    })
    await shop.database.pool.query('delete from invoice where number in ($1, $2)', [
      part.number,
      refunded.number,
    ])
    expect(await sales(refunded.number)).toMatchObject([{ action: 'left', reason: 'refunded' }])
    const [sale] = await sales(part.number)
    if (sale === undefined) throw new Error('the sale is not found')
    expect(await recoverSale(shop.database, purchaseDeps(shop.services), sale, new Date())).toBe('credited')
    expect(await desk().invoice(part.number)).toMatchObject({
      state: 'underpaid',
      credited_bytes: 5_000_000_000n,
    })
  })

  it('are not credited again for another payment with a copy of their record', async () => {
    const { shop, order, pay } = desk()
    const { number, externalId } = await order(await shop.customer())
    pay(externalId)
    const genuine = fake.invoices.get(externalId)
    if (genuine === undefined) throw new Error('no invoice')
    // A payer of a public payment button chooses the metadata, and pays what it says there.
    fake.invoices.set('copied', { ...genuine, id: 'copied' })
    fake.invoices.set('cheap', { ...genuine, id: 'cheap', amount: '0.01', paidAmount: '0.01' })
    await shop.database.pool.query('delete from invoice where number = $1', [number])
    const found = await sales(number)
    const reasons = found.map(({ payment, reason }) => [payment.externalId, reason])
    expect(Object.fromEntries(reasons)).toEqual({ [externalId]: null, copied: null, cheap: 'wrong_amount' })
    const verdicts = []
    for (const sale of found.filter(({ action }) => action === 'recreate'))
      verdicts.push(await recoverSale(shop.database, purchaseDeps(shop.services), sale, new Date()))
    expect(verdicts).toEqual(['credited', 'another_invoice'])
    expect(await desk().invoice(number)).toMatchObject({ received_micros: 35_000_000n })
  })
})
