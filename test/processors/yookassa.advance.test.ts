/** Closing receipts of purchases from the money balance: all settle one payment of YooKassa, the top-up. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createInvoice, findInvoice, payFromBalance, reconcileInvoice, refundInvoice } from '#purchase'
import { receiptsOf, registerReceipts } from '#receipts'
import { accountIdOf, type App } from '#test/app'
import { oneWaitsForLock } from '#test/waiting.statement'
import { purchaseDeps } from '../../src/main/services.ts'
import { fiscalShop } from './yookassa.shop.ts'
import { FakeYookassa } from './yookassa.ts'

const fake = new FakeYookassa()
let shop: App
let deps: ReturnType<typeof purchaseDeps>
const faults: string[] = []

beforeAll(async () => {
  shop = await fiscalShop(fake)
})
afterAll(async () => {
  await shop.close()
  fake.stop()
})
beforeEach(() => {
  shop.clock.now = new Date()
  faults.length = 0
  deps = {
    ...purchaseDeps(shop.services),
    noteFault: (_method, fault) => faults.push(fault.message),
  }
})
afterEach(async () => {
  fake.calm()
  fake.forgetKeys()
  // No receipt is left for the next test.
  for (const hours of [30, 40, 50]) {
    await register(hours * 60)
    fake.settleReceipts()
  }
})

const at = (minutes: number) => new Date(shop.clock.now.getTime() + minutes * 60_000)
const register = (minutes: number) => registerReceipts(shop.database, deps, at(minutes))

/** A customer with 50 USD on the balance, 4625 RUB, whose receipt is registered. */
async function toppedUp() {
  const { database } = shop
  const accountId = BigInt(await accountIdOf(await shop.customer()))
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
  fake.pay(externalId)
  expect(await reconcileInvoice(database, deps, number, shop.clock.now)).toBe('credited')
  fake.settleReceipts()
  await register(0)
  const buy = async (gb: bigint) => {
    const wish = { accountId, pool: 'residential', gb, promocode: null, language: 'ru' } as const
    return (await payFromBalance(database, deps, wish, shop.clock.now)).number
  }
  return { externalId, buy }
}

const rows = async (...numbers: string[]) => receiptsOf(shop.database.db, numbers, shop.clock.now)
const states = async (number: string) =>
  (await rows(number)).map(({ kind, state, price }) => [kind, state, price.micros / 10_000n])
/** The sums of the closing receipts that the processor has of a payment. */
const closed = (externalId: string) =>
  [...fake.receipts.values()]
    .filter(({ payment_id: of, settlements }) => of === externalId && settlements[0]?.type === 'prepayment')
    .filter(({ status }) => status !== 'canceled')
    .map(({ settlements }) => settlements[0]?.amount.value)
    .toSorted((a, b) => Number(a) - Number(b))

/** Each purchase has a registered receipt of its own. */
async function expectOneEach(numbers: readonly string[]) {
  const closings = await rows(...numbers)
  expect(closings.map(({ kind, state }) => [kind, state])).toEqual(
    numbers.map(() => ['closing', 'registered']),
  )
  const documents = closings.map(({ documentNumber }) => documentNumber)
  expect(documents).not.toContain(null)
  expect(new Set(documents).size).toBe(numbers.length)
}

const lost = ['lost', 'lost', 'lost'] as const

describe('purchases that one advance paid', () => {
  it('have a closing receipt each, of their own sums', async () => {
    const { externalId, buy } = await toppedUp()
    const numbers = [await buy(10n), await buy(1n)]
    for (const minutes of [2, 4, 6, 8]) {
      await register(minutes)
      fake.settleReceipts()
    }
    expect(closed(externalId)).toEqual(['323.75', '3237.50'])
    await expectOneEach(numbers)
  })

  it('have a closing receipt each when the answer to one of two equal sums is lost', async () => {
    const { externalId, buy } = await toppedUp()
    const numbers = [await buy(1n), await buy(1n)]
    fake.trouble(...lost)
    for (const minutes of [2, 5, 8, 11]) {
      await register(minutes)
      fake.forgetKeys()
      fake.settleReceipts()
    }
    expect(closed(externalId)).toEqual(['323.75', '323.75'])
    await expectOneEach(numbers)
  })

  it('have one each when one was not carried out and the answer to the other was lost', async () => {
    const { externalId, buy } = await toppedUp()
    const first = await buy(1n)
    fake.trouble(500, 500, 500)
    await register(2)
    const second = await buy(1n)
    fake.trouble(...lost)
    // The first takes the receipt of the second, whose key then answers with the same.
    for (const minutes of [3, 5, 6]) {
      await register(minutes)
      fake.settleReceipts()
    }
    expect(faults.at(-1)).toContain('of another purchase')
    expect(closed(externalId)).toEqual(['323.75'])
    expect(await states(second)).toEqual([['closing', 'due', 32_375n]])
    // A new one is made once the key has expired.
    fake.forgetKeys()
    for (const minutes of [1500, 1600]) {
      await register(minutes)
      fake.settleReceipts()
    }
    expect(closed(externalId)).toEqual(['323.75', '323.75'])
    await expectOneEach([first, second])
  })

  it('have one each when two workers look for lost answers at the same time', async () => {
    const { externalId, buy } = await toppedUp()
    const first = await buy(1n)
    fake.trouble(...lost)
    await register(2)
    const second = await buy(1n)
    fake.trouble(...lost)
    await register(3)
    expect(closed(externalId)).toEqual(['323.75', '323.75'])
    const held = fake.hold()
    const ofFirst = register(4.5)
    const release = await held
    const ofSecond = register(5.5)
    await oneWaitsForLock(shop.database.db)
    release()
    await Promise.all([ofFirst, ofSecond])
    fake.settleReceipts()
    await register(20)
    expect(closed(externalId)).toEqual(['323.75', '323.75'])
    await expectOneEach([first, second])
  })

  it('keep a cancelled closing receipt until one of its own sum replaces it', async () => {
    const { externalId, buy } = await toppedUp()
    const first = await buy(5n)
    await register(2)
    fake.settleReceipts('canceled')
    await register(4)
    const equal = await buy(1n)
    await register(6)
    fake.settleReceipts()
    await register(8)
    for (const minutes of [70, 140]) await register(minutes)
    expect(await states(first)).toEqual([['closing', 'failed', 161_875n]])
    await expectOneEach([equal])
    const cancelled = [...fake.receipts.values()].find(
      ({ payment_id: of, status }) => of === externalId && status === 'canceled',
    )
    if (cancelled === undefined) throw new Error('no receipt')
    fake.receipts.set('rt-other', { ...cancelled, id: 'rt-other', status: 'pending' })
    fake.settleReceipts()
    await register(210)
    await expectOneEach([first, equal])
    // The cancelled one is not taken for the lost answer of another purchase.
    const next = await buy(5n)
    fake.trouble(500, 500, 500)
    for (const minutes of [220, 230, 240]) {
      await register(minutes)
      fake.settleReceipts()
    }
    await expectOneEach([first, equal, next])
  })
})

describe('a purchase that an advance paid, returned to the balance', () => {
  const refund = (number: string, what: 'all' | bigint) =>
    refundInvoice(shop.database, { number, what }, shop.clock.now)

  it('in two parts leaves no closing receipt to send', async () => {
    const { buy } = await toppedUp()
    const number = await buy(10n)
    await refund(number, 17_500_000n)
    expect(await states(number)).toEqual([['closing', 'due', 161_875n]])
    await refund(number, 17_500_000n)
    expect(await states(number)).toEqual([['closing', 'void', 0n]])
  })

  it('in two parts, before and after its closing receipt was sent, leaves nothing of it', async () => {
    const { buy } = await toppedUp()
    const [sent, half] = [await buy(10n), await buy(1n)]
    await refund(half, 1_750_000n)
    await register(2)
    for (const number of [sent, sent]) await refund(number, 17_500_000n)
    expect(await states(sent)).toEqual([
      ['closing', 'pending', 323_750n],
      ['refund', 'failed', 161_875n],
      ['refund', 'failed', 161_875n],
    ])
    await refund(half, 'all')
    const [closing, returned] = await states(half)
    expect(closing).toEqual(['closing', 'pending', 16_188n])
    expect(returned).toEqual(['refund', 'failed', 16_188n])
  })

  it('is of the advance again: the next purchase closes it as a whole', async () => {
    const { buy } = await toppedUp()
    const first = await buy(10n)
    for (const minutes of [2, 4]) {
      await register(minutes)
      fake.settleReceipts()
    }
    await refund(first, 'all')
    const second = await buy(10n)
    expect(await states(second)).toEqual([['closing', 'due', 323_750n]])
  })
})
