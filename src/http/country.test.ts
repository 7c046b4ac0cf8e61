import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountCalled, customerFacts } from '#accounts'
import { type App, app } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

let made = 0

/** Signs up with these headers, and returns the country that is kept. */
async function countryAfter({ origin, database: { db } }: App, headers: Record<string, string>) {
  const name = `traveller${++made}`
  const person = { username: name, email: `${name}@example.com`, password: 'correct horse battery' }
  const answer = await fetch(`${origin}/api/rpc/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(person),
  })
  expect(answer.status).toBe(200)
  const account = await accountCalled(db, name)
  return (await customerFacts(db, account?.id ?? 0n))?.country
}

it.each([
  ['DE', 'DE'],
  ['br', 'BR'],
  ['XX', null],
  ['T1', null],
  ['DE, FR', null],
  ["DE'--", null],
])('%j of a trusted proxy is kept as %j', async (given, kept) =>
  expect(await countryAfter(shop, { 'cf-ipcountry': given })).toBe(kept),
)

it('the country is not known without the header', async () => expect(await countryAfter(shop, {})).toBeNull())

it('the country is not taken from a client, whatever address it claims', async () => {
  const stranger = await app({ trustProxy: ['203.0.113.9'] })
  const headers = { 'cf-ipcountry': 'DE', 'x-forwarded-for': '203.0.113.9' }
  expect(await countryAfter(stranger, headers)).toBeNull()
  await stranger.close()
})
