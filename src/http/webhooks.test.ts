import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, app } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

let bodies = 0
const forge = (ip: string) =>
  fetch(`${shop.origin}/api/webhooks/sandbox`, {
    method: 'POST',
    headers: { 'x-forwarded-for': ip },
    body: `forged ${++bodies}`,
  })
const kept = async () => (await shop.database.db.selectFrom('webhook_event').select('id').execute()).length

it('keeps sixty forged notifications from one network, then turns it away before it reads them', async () => {
  const ends = []
  for (let at = 0; at < 62; at++) ends.push((await forge(`2001:db8:5:5::${at}`)).status)
  expect(ends).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429])
  expect(await kept()).toBe(60)
  const late = await forge('2001:db8:5:5::ffff')
  expect(late.headers.get('retry-after')).toBe('10')
  // Nobody else is kept waiting, and in time nor are they.
  expect((await forge('203.0.113.5')).status).toBe(401)
  shop.clock.now = new Date(shop.clock.now.getTime() + 10_000)
  expect((await forge('2001:db8:5:5::1')).status).toBe(401)
  expect((await forge('2001:db8:5:5::1')).status).toBe(429)
})
