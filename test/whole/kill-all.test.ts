import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { press } from '#test/app'
import { type Stack, type StackCustomer, startStack, turnpike, until } from '#test/stack'
import { sized } from '../size.ts'

let stack: Stack
let customer: StackCustomer

beforeAll(async () => {
  stack = await startStack({ GATEWAY_WORKERS: '1' })
  customer = await stack.signIn()
})
afterAll(() => stack.close())

const rounds = sized(2, 10)
const buyers = 8

/** The answers that a buyer received before the kill. */
interface ReceivedAnswers {
  /** Invoices whose payment was answered with a redirect: to the customer they are paid. */
  paid: string[]
  /** Invoices that were created, paid or not. */
  made: string[]
}

/** Buys and pays until the server is killed. */
async function buyUntilDark(told: ReceivedAnswers): Promise<void> {
  for (;;) {
    const order = { payment_method: 'sandbox', amount: 1, pool: 'residential_premium' } as const
    const url = await customer.call('create_invoice_web', order).catch(() => null)
    if (url === null) return
    const number = url.split('/').at(-1) ?? ''
    told.made.push(number)
    const answer = await press(stack.origin, number, 'paid').catch(() => null)
    if (answer === null) return
    if (answer.status === 303) told.paid.push(number)
  }
}

it('kill -9 of the whole tree in the middle of purchases: the books agree, each paid invoice is credited once', async () => {
  const told: ReceivedAnswers = { paid: [], made: [] }
  for (let round = 0; round < rounds; round++) {
    const dark = Promise.all(Array.from({ length: buyers }, () => buyUntilDark(told)))
    const paidBefore = told.paid.length
    await until(() => told.paid.length > paidBefore + 1, 60_000, 'two payments')
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 900))
    await stack.killAll()
    await dark
    await stack.restart()
    // A processor repeats unanswered notifications, which a busy shop refuses with 503; pressing the button
    // again is that repetition.
    for (const number of told.made)
      await until(
        async () => {
          const { status } = await press(stack.origin, number, 'paid')
          expect([303, 503]).toContain(status)
          return status === 303
        },
        60_000,
        'the payment to be accepted',
      )
  }
  expect(told.paid.length).toBeGreaterThan(rounds)

  const [profile] = await customer.call('legacy_profile', {})
  const gb = BigInt(told.made.length)
  expect(bytesFromWire(profile?.residential_premium.balance ?? 0)).toBe(gb * 1_000_000_000n)
  expect(JSON.parse(await turnpike({ DATA_DIR: stack.dataDir }, 'ledger', 'verify', '--json'))).toEqual({
    findings: [],
  })
}, 180_000)
