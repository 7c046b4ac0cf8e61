import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { gb, type TopUpShop, topUpShop } from '#test/topup'

let desk: TopUpShop

// The silence lasts until a test ends it.
beforeAll(async () => void (desk = await topUpShop({ timeoutMs: 170_000 })))
afterAll(() => desk.close())

const cardCharges = () =>
  [...desk.stripe.saved.intents.values()].filter(({ status }) => status === 'succeeded').length

/** A customer with 1 GB, and a top-up below half a GB. */
async function withTopUp(method: 'card' | 'yookassa'): Promise<bigint> {
  const customer = await desk.customer()
  await desk.save(customer, method)
  await desk.switchOn(customer)
  return customer.accountId
}

/** A customer who has paid for an order and agreed that the method is saved, which no run has read yet. */
async function withOrder(method: 'card' | 'yookassa') {
  const customer = await desk.customer()
  await desk.order(customer, method)
  return customer
}

describe('while a processor does not answer', () => {
  it('the cards at another one are charged', async () => {
    for (const account of [await withTopUp('yookassa'), await withTopUp('card')])
      await desk.use(account, gb / 2n + 1n)
    const before = cardCharges()
    const holding = desk.yookassa.hold()
    const running = desk.run()
    const release = await holding
    await eventually(() => cardCharges() === before + 1, 'the charge of the card')
    release()
    expect(await running).toMatchObject({ made: 2, succeeded: 2 })
  })

  it('methods that were saved at another one are read', async () => {
    const slow = await withOrder('yookassa')
    const quick = await withOrder('card')
    const holding = desk.yookassa.hold()
    const running = desk.run()
    const release = await holding
    await expect.poll(async () => (await quick.call('get_top_ups', {})).saved.length).toBe(1)
    expect((await slow.call('get_top_ups', {})).saved).toEqual([])
    release()
    expect(await running).toMatchObject({ saved: 2 })
  })
})

describe('a processor that knows no such payment', () => {
  it('is asked once for the method that was to be saved', async () => {
    const customer = await withOrder('card')
    expect((await customer.call('get_top_ups', {})).saving).toBe(true)
    desk.stripe.trouble(404)
    expect(await desk.run()).toMatchObject({ saved: 0 })
    expect(await customer.call('get_top_ups', {})).toMatchObject({ saving: false, saved: [] })
    const before = desk.stripe.requests.length
    await desk.run()
    expect(desk.stripe.requests.length).toBe(before)
  })
})
