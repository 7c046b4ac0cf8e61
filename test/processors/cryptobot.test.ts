import { cryptobotMethod } from '../../src/payments/adapters/cryptobot.ts'
import { expect, it } from 'vitest'
import { FakeCryptoPay } from './cryptopay.ts'
import { lostSales } from './lost.sales.ts'
import { processorSuite } from './suite.ts'

const fake = new FakeCryptoPay()

const desk = processorSuite(
  'cryptobot',
  async () => {
    await fake.start()
    const { token, url: apiBase } = fake
    return {
      fake,
      method: cryptobotMethod({
        token,
        apiBase,
        publicUrl: new URL('http://localhost:3000'),
        timeoutMs: 1500,
      }),
      made: () => [...fake.invoices.keys()],
      pay: (externalId) => fake.pay(externalId),
      notify: (externalId, { at = new Date(), serial = 0 } = {}) => {
        const invoice = fake.invoices.get(externalId) ?? { invoice_id: Number(externalId) }
        const event = {
          update_id: serial,
          update_type: 'invoice_paid',
          request_date: at.toISOString(),
          payload: invoice,
        }
        // A valid but unusual formatting, which no JSON serialiser of ours produces.
        const body = JSON.stringify(event).replace('"update_id":', '"update_id": ')
        return { headers: { 'crypto-pay-api-signature': fake.sign(body) }, body }
      },
      alter: (externalId, { currency, amount, number }) => {
        const invoice = fake.invoices.get(externalId)
        if (invoice === undefined) throw new Error(`no invoice ${externalId}`)
        if (currency !== undefined) invoice.fiat = currency
        if (amount !== undefined) invoice.amount = amount
        if (number !== undefined) invoice.payload = invoice.payload.replace(/^\S+/, number)
      },
    }
  },
  () => ({
    forgeries: ({ headers, body }) => {
      const name = 'crypto-pay-api-signature'
      const signature = headers[name] ?? ''
      return [
        ['no signature', { headers: {}, body }],
        ['short', { headers: { [name]: signature.slice(0, 62) }, body }],
        ['long', { headers: { [name]: `${signature}00` }, body }],
        ['not hex', { headers: { [name]: 'z'.repeat(64) }, body }],
        [
          'another key',
          { headers: { [name]: signature.replace(/^./, (first) => (first === '0' ? '1' : '0')) }, body },
        ],
        ['re-serialised', { headers, body: JSON.stringify(JSON.parse(body)) }],
      ]
    },
    wrongAmount: '34.99',
    badTime: 401,
    hasTestMode: false,
    refunds: null,
    refund: { amount: '', currency: '' },
  }),
)

it('requests the price in USD from Crypto Pay, with our number and the return address', async () => {
  const { number, externalId } = await desk().order(await desk().shop.customer())
  expect(fake.invoices.get(externalId)).toMatchObject({
    currency_type: 'fiat',
    fiat: 'USD',
    amount: '35.00',
    payload: expect.stringMatching(new RegExp(`^${number} \\S{43} {"invoice":"${number}"`)),
    expires_in: 3600,
    description: '10 GB residential',
    paid_btn_url: `http://localhost:3000/account?invoice=${number}`,
  })
})

it('the adapter credits no coin invoice with our number', async () => {
  const { number, externalId } = await desk().order(await desk().shop.customer())
  Object.assign(fake.invoices.get(externalId) ?? {}, { currency_type: 'crypto', asset: 'JET' })
  fake.pay(externalId)
  await desk().deliver(desk().notify(externalId))
  expect(await desk().invoice(number)).toMatchObject({ state: 'pending', checked_verdict: 'wrong_currency' })
})

lostSales('cryptobot', desk, (id, change) => {
  const invoice = fake.invoices.get(id)
  if (invoice === undefined) throw new Error(`no invoice ${id}`)
  const [number = '', ...order] = invoice.payload.split(' ')
  invoice.payload = `${number} ${change(order.join(' '))}`.trim()
})
