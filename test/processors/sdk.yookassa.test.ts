/** A client written for YooKassa talks to our fake as it does to YooKassa, so that the fake stays honest. */
import { randomUUID } from 'node:crypto'
import { YooCheckout } from '@a2seven/yoo-checkout'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeYookassa } from './yookassa.ts'

const fake = new FakeYookassa()

/** The client with the address of the fake. */
class Client extends YooCheckout {
  override readonly root = `${fake.url.origin}/v3`
}
let client: Client

beforeAll(async () => {
  await fake.start()
  client = new Client({ shopId: fake.shopId, secretKey: fake.secretKey })
})
afterAll(() => fake.stop())

const rub = (value: string) => ({ value, currency: 'RUB' })
const order = (value: string, key = randomUUID()) =>
  client.createPayment(
    {
      amount: rub(value),
      capture: true,
      confirmation: { type: 'redirect', return_url: 'https://shop.example.net/' },
      description: '1 GB',
      metadata: { invoice: 'of a test' },
    },
    key,
  )
/** What the client throws for an answer with an error. */
const errorOf = (status: number, fields: object) => ({
  response: { status, data: { type: 'error', id: expect.any(String), ...fields } },
})

it('the SDK makes a payment, reads it when it is paid, and lists it by page', async () => {
  const made = await order('350.00')
  expect(made).toMatchObject({ status: 'pending', paid: false, confirmation: { type: 'redirect' } })
  fake.pay(made.id, new Date('2026-08-31T20:59:00Z'))
  expect(await client.getPayment(made.id)).toMatchObject({
    status: 'succeeded',
    paid: true,
    refundable: true,
    captured_at: '2026-08-31T20:59:00.000Z',
    recipient: { account_id: fake.shopId },
  })
  await order('100.00')
  const first = await client.getPaymentList({ limit: 1 })
  expect(first.items).toHaveLength(1)
  const second = await client.getPaymentList({ limit: 1, cursor: first.next_cursor })
  expect(second.items.map(({ id }) => id)).toEqual([made.id])
  expect(second.next_cursor).toBeUndefined()
})

it('the SDK returns a payment in two parts and is refused a third', async () => {
  const { id } = await order('350.00')
  fake.pay(id)
  const part = (value: string) => client.createRefund({ payment_id: id, amount: rub(value) })
  const refund = await part('100.00')
  expect(await client.getRefund(refund.id)).toMatchObject({ status: 'succeeded', payment_id: id })
  await part('250.00')
  expect((await client.getPayment(id)).refunded_amount).toEqual(rub('350.00'))
  await expect(part('1.00')).rejects.toMatchObject(errorOf(400, { parameter: 'amount.value' }))
  const { items } = await client.getRefundList({ payment_id: id })
  expect(items.map(({ amount }) => amount.value)).toEqual(['250.00', '100.00'])
})

it('the SDK gets the errors that the documentation names', async () => {
  const key = randomUUID()
  expect((await order('350.00', key)).id).toBe((await order('350.00', key)).id)
  await expect(order('351.00', key)).rejects.toMatchObject(errorOf(400, { code: 'invalid_request' }))
  await expect(order('0.99')).rejects.toMatchObject(errorOf(400, { parameter: 'amount.value' }))
  await expect(client.getPayment(randomUUID())).rejects.toMatchObject(errorOf(404, { code: 'not_found' }))
  const stranger = new Client({ shopId: fake.shopId, secretKey: 'live_another' })
  await expect(stranger.getPayment(randomUUID())).rejects.toMatchObject(
    errorOf(401, { code: 'invalid_credentials' }),
  )
})
