import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { addJob } from '#db/jobs'
import { refundInvoice } from '#purchase'
import { type App, app } from '#test/app'
import { type SmtpSink, startSmtp } from '#test/smtp'
import { startTestWorker } from '#test/worker'
import { btcpayMethod } from '../../src/payments/adapters/btcpay.ts'
import { FakeBtcpay } from './btcpay.ts'

const fake = new FakeBtcpay()
let shop: App
let sink: SmtpSink
let stop: () => Promise<void>
beforeAll(async () => {
  await fake.start()
  const { apiKey, storeId, webhookSecret, url } = fake
  const publicUrl = new URL('http://localhost:3000')
  shop = await app({
    methods: [btcpayMethod({ url, apiKey, storeId, webhookSecret, publicUrl, timeoutMs: 3000 })],
  })
  sink = await startSmtp()
  stop = await startTestWorker(shop, sink)
})
afterAll(async () => {
  await stop()
  await sink.close()
  await shop.close()
  fake.stop()
})

it('the worker finds a payment whose notification never arrived, and sends its refund', async () => {
  const { database, services } = shop
  const { call } = await shop.customer()
  let number = ''
  await call(
    'create_invoice_web',
    { payment_method: 'crypto', amount: 10, pool: 'mobile' },
    { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
  )
  fake.pay([...fake.invoices.keys()].at(-1) ?? '')
  const state = async () =>
    (await database.db.selectFrom('invoice').select('state').where('number', '=', number).executeTakeFirst())
      ?.state
  await addJob(database.db, 'reconcile_payments', {})
  await vi.waitFor(async () => expect(await state()).toBe('paid'), { timeout: 10_000 })
  await refundInvoice(database, { number, what: 'all', methods: services.methods }, new Date())
  await addJob(database.db, 'reconcile_payments', {})
  await vi.waitFor(() => expect(fake.pullPayments).toHaveLength(1), { timeout: 10_000 })
})
