/** Rate limits of calls without a token: generous to a person, and no free work for a flood. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, refusalOf } from '#test/app'
import { Pace, publicPace, subjectOf } from './pace.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
  shop.clock.now = new Date('2026-05-17T12:00:00.000Z')
})
afterAll(() => shop.close())

const later = (seconds: number) => (shop.clock.now = new Date(shop.clock.now.getTime() + seconds * 1000))

/** Sends as many concurrent calls as are allowed; calls refused for other reasons count too. */
async function spendAll(ip: string): Promise<void> {
  const call = shop.from(ip)
  const asked = Array.from({ length: publicPace.atOnce }, () => refusalOf(call('calculate', { amounts: [] })))
  for (const { status } of await Promise.all(asked)) expect(status).toBe(422)
}

describe('an address that calls without a token', () => {
  it('is refused above its rate, for any call', async () => {
    const ip = '203.0.113.80'
    const { token } = await shop.customer()
    await spendAll(ip)
    const call = shop.from(ip, 'en')
    const refused = await Promise.all(
      [
        call('prices', {}),
        call('proxy_countries', { provider: 'gateway', pool: 'mobile' }),
        call('site', {}),
        call('get_banners', {}),
        call('signin', { username: 'somebody', password: 'a password' }),
      ].map(refusalOf),
    )
    for (const refusal of refused)
      expect(refusal).toMatchObject({
        status: 429,
        code: 'too_many_requests',
        details: { seconds: 1 },
        message: 'Too many requests. Try again in 1 s.',
      })
    const answer = await fetch(`${shop.origin}/api/rpc/prices`, { headers: { 'x-forwarded-for': ip } })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await shop.from('203.0.113.81')('prices', {})).toBeDefined()
    expect(await shop.anyone('prices', {})).toBeDefined()
    // Its customers are identified by their tokens: they are not delayed.
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': ip }
    expect((await fetch(`${shop.origin}/api/legacy_profile`, { headers })).status).toBe(200)
    later(1)
    for (let n = 0; n < publicPace.perSecond; n++) await call('prices', {})
    expect((await refusalOf(call('prices', {}))).code).toBe('too_many_requests')
  })
})

describe('the rate limit', () => {
  const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000)
  const spent = (pace: Pace, ip: string, now: Date) => {
    let count = 0
    while (pace.take(subjectOf(ip), now) === null) count++
    return count
  }

  it('admits a burst after a pause, and its rate per second', () => {
    const pace = new Pace(publicPace)
    expect(spent(pace, '203.0.113.1', at(0))).toBe(publicPace.atOnce)
    expect(spent(pace, '203.0.113.1', at(3))).toBe(3 * publicPace.perSecond)
    expect(spent(pace, '203.0.113.1', at(1000))).toBe(publicPace.atOnce)
  })

  it('counts a whole IPv6 network as one', () => {
    const pace = new Pace(publicPace)
    spent(pace, '2001:db8:5:5::1', at(0))
    expect(pace.take(subjectOf('2001:db8:5:5:ffff::2'), at(0))).toBe(1)
    expect(pace.take(subjectOf('2001:db8:5:6::1'), at(0))).toBeNull()
  })

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('does not limit this machine, %s', (ip) => {
    const pace = new Pace(publicPace)
    for (let n = 0; n < 2 * publicPace.atOnce; n++) expect(pace.take(subjectOf(ip), at(0))).toBeNull()
    expect(pace.size).toBe(0)
  })

  it('takes all tokens or none, and accepts returned tokens', () => {
    const pace = new Pace({ perSecond: 1, atOnce: 10 })
    expect(pace.take('one', at(0), 8)).toBeNull()
    expect(pace.take('one', at(0), 5)).toBe(3)
    expect(pace.take('one', at(0), 2)).toBeNull()
    expect(pace.take('one', at(0))).toBe(1)
    pace.giveBack('one', at(0))
    expect(pace.take('one', at(0))).toBeNull()
    expect(pace.take('one', at(0))).toBe(1)
    // No more tokens accumulate than the burst.
    for (let n = 0; n < 20; n++) pace.giveBack('one', at(60))
    pace.giveBack('another', at(60))
    for (const who of ['one', 'another'])
      expect([pace.take(who, at(60), 10), pace.take(who, at(60))]).toEqual([null, 1])
  })

  it('is reset when the clock was set back', () => {
    const pace = new Pace(publicPace)
    spent(pace, '203.0.113.1', at(1000))
    expect(spent(pace, '203.0.113.1', at(0))).toBe(publicPace.atOnce)
  })

  it('keeps a bounded number of addresses, the active ones longest', () => {
    const pace = new Pace(publicPace)
    spent(pace, '203.0.113.1', at(0))
    for (let n = 0; n < 49_990; n++) pace.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, at(0))
    expect(pace.take('203.0.113.1', at(0))).toBe(1)
    for (let n = 0; n < 5_000; n++) pace.take(`11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, at(0))
    expect(pace.size).toBeLessThanOrEqual(50_000)
    for (let n = 0; n < 30_000; n++) pace.take('203.0.113.2', at(60 + n / 20))
    expect(pace.size).toBe(1)
  })
})
