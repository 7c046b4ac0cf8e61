/** A refund, and a payment of the same customer that is credited between two statements of it. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesPerGb } from '#contract/wire'
import { verifyLedger } from '#ledger'
import { accountIdOf, type App, app, press } from '#test/app'
import { balancesOf, verifyTraffic } from '#traffic'
import { refundInvoice } from '../purchase.ts'

/** What is done before the next statement that contains these words. */
let before: { words: string; act: () => Promise<unknown> } | null = null
const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
function delayed(this: pg.Client, ...given: unknown[]): unknown {
  const [what] = given
  const text = typeof what === 'string' ? what : (what as { text: string }).text
  if (before === null || !text.includes(before.words)) return send.apply(this, given)
  const { act } = before
  before = null
  const sent = act().then(() => send.apply(this, given))
  return typeof what === 'string' ? sent : what
}

let shop: App
beforeAll(async () => {
  // Before the first connection is opened: each binds the method.
  Object.assign(pg.Client.prototype, { query: delayed })
  shop = await app()
})
afterAll(async () => {
  Object.assign(pg.Client.prototype, { query: send })
  await shop.close()
})

const order = (gb: number) => ({ payment_method: 'sandbox', pool: 'residential', amount: gb }) as const
const numberOf = (url: string) => new URL(url, shop.origin).pathname.split('/').at(-1) ?? ''

it('a refund of the unused part returns all of it, though another purchase is credited meanwhile', async () => {
  const { database, clock, origin } = shop
  const person = await shop.customer()
  const number = await shop.buy(person, { pool: 'residential', gb: 10 })
  const other = numberOf(await person.call('create_invoice_web', order(3)))
  let paid = false
  // Between the balances and the purchases that they are compared with.
  before = {
    words: 'select access_id, pool from meter where account_id',
    act: async () => {
      await press(origin, other, 'paid')
      paid = true
    },
  }
  const refund = await refundInvoice(database, { number, what: 'unused' }, clock.now)
  expect([paid, refund.refundedMicros, refund.takenBackBytes]).toEqual([true, 35_000_000n, 10n * bytesPerGb])
  const accountId = BigInt(await accountIdOf(person))
  expect((await balancesOf(database.db, accountId)).get('residential')?.total).toBe(3n * bytesPerGb)
  expect(await verifyLedger(database.db)).toEqual([])
  expect(await verifyTraffic(database.db)).toEqual([])
})
