/** How many statements a call sends to the database: each is a round trip, and wakes a process there. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, app, type Customer } from '#test/app'

/** Noted from before the first connection is opened. */
const sent: string[] = []
const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
function noted(this: pg.Client, ...given: unknown[]): unknown {
  const [what] = given
  sent.push(typeof what === 'string' ? what : (what as { text: string }).text)
  return send.apply(this, given)
}
Object.assign(pg.Client.prototype, { query: noted })

let shop: App
let customer: Customer
beforeAll(async () => {
  shop = await app()
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
})
afterAll(async () => {
  Object.assign(pg.Client.prototype, { query: send })
  await shop.close()
})

async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  // What is cached for some time is read now.
  await act()
  sent.length = 0
  await act()
  // The server reads the database's clock every few seconds, whatever is called.
  return sent.filter((text) => !text.includes('clock_timestamp() * 1000)::float8'))
}

const day = new Date().toISOString().slice(0, 10)
const week = { from: day, to: day, by: 'day' } as const
const lines = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password:hostname:port',
  quantity: 10,
  sessionttl: 10,
  pool: 'residential',
} as const

it.each<[name: string, most: number, act: () => Promise<unknown>]>([
  ['prices', 1, () => shop.anyone('prices', {})],
  ['legacy_profile', 2, () => customer.call('legacy_profile', {})],
  ['get_proxy', 3, () => customer.call('get_proxy', lines)],
  [
    'legacy_get_statistic',
    2,
    () => customer.call('legacy_get_statistic', { period: 'month', pool: 'residential' }),
  ],
  ['get_usage', 3, () => customer.call('get_usage', week)],
  ['get_proxy_users', 4, () => customer.call('get_proxy_users', { pool: 'residential' })],
  ['get_overview', 5, () => customer.call('get_overview', {})],
  ['a purchase with its page', 30, () => shop.buy(customer, { pool: 'residential', gb: 1 })],
])('%s sends at most %d', async (_name, most, act) => {
  const statements = await statementsOf(act)
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(most)
  expect(statements.filter((text) => /^begin/i.test(text)).length).toBeLessThanOrEqual(2)
})
