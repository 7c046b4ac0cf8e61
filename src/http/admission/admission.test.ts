/** The limits of one account or one network at a server, and the capacity that is left for others. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tokensOf } from '#contract/call'
import { type Name, pathOf, wire } from '#contract/wire'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { Admission } from './admission.ts'
import { accountPace } from './pace.ts'
import { queues } from './queues.ts'

let shop: App
let hasty: App
beforeAll(async () => {
  ;[shop, hasty] = await Promise.all([app(), app({ accountPace: { perSecond: 1e6, atOnce: 1e6 } })])
})
afterAll(() => Promise.all([shop.close(), hasty.close()]))

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const later = (seconds: number) => (shop.clock.now = new Date(shop.clock.now.getTime() + seconds * 1000))

/** The codes that calls end with, and the number of each. */
async function tally(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const end of await Promise.allSettled(calls)) {
    const code = end.status === 'fulfilled' ? 'done' : (end.reason as { code: string }).code
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

const lines = (quantity: number) =>
  ({
    pool: 'residential',
    type: 'sticky',
    protocol: 'http',
    format: 'login:password@hostname:port',
    anonymous: true,
    sessionttl: 10,
    quantity,
  }) as const

describe('an account', () => {
  it('does not share its allowance with staff who view it', () => {
    const admission = new Admission({ now: () => shop.clock.now, pace: { perSecond: 1, atOnce: 3 } })
    const callers = [{ id: 1n, view: 7n }, { id: 1n, view: 8n }, { id: 1n }]
    for (const caller of callers) {
      for (let each = 0; each < 3; each += 1) admission.admitAccount(caller)
      expect(() => admission.admitAccount(caller)).toThrow('too_many_requests')
    }
  })

  it('is charged for the rows of an answer afterwards, and waits until the debt is paid', () => {
    const pace = { perSecond: 10, atOnce: 100 }
    const admission = new Admission({ now: () => shop.clock.now, pace })
    const account = { id: 2n }
    // 10,200 rows cost 500 tokens more than a page; 400 of them are missing and become debt.
    admission.owe({ users: Array.from({ length: 10_200 }) }, { account })
    later(39)
    expect(() => admission.admitAccount(account)).toThrow('too_many_requests')
    later(2)
    admission.admitAccount(account)
    later(60)
    for (let each = 0; each < 100; each += 1) admission.admitAccount(account)
    expect(() => admission.admitAccount(account)).toThrow('too_many_requests')
  })

  it('in debt is refused calls that waited in the queue already', async () => {
    const admission = new Admission({ now: () => shop.clock.now, pace: { perSecond: 1, atOnce: 5 } })
    const asker = { account: { id: 3n }, ip: '192.0.2.1' }
    const input = { pool: 'residential' }
    const ends = await Promise.allSettled(
      times(5, () =>
        admission.run(wire.get_proxy_users, input, asker, async () => ({
          users: Array.from({ length: 900 }),
        })),
      ),
    )
    const done = ends.filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(queues.lists.atOnce)
  })

  // All rate limits have recovered.
  beforeEach(() => void later(60))

  it('is refused above its rate, with any token; others are not', async () => {
    const [customer, other] = [await shop.customer(), await shop.customer()]
    const program = shop.client(await customer.call('reseller_token', {}), 'en')
    const spent = await tally(times(accountPace.atOnce, () => customer.call('is_password_exists', {})))
    expect(spent).toEqual({ done: accountPace.atOnce - 1, too_many_requests: 1 })
    for (const call of [customer.call, program])
      expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({
        status: 429,
        code: 'too_many_requests',
        details: { seconds: 1 },
      })
    const headers = { authorization: `Bearer ${customer.token}` }
    const answer = await fetch(`${shop.origin}/api/legacy_profile`, { headers })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await other.call('legacy_profile', {})).toHaveLength(1)
    later(1)
    const next = await tally(times(accountPace.perSecond + 2, () => customer.call('is_password_exists', {})))
    expect(next).toEqual({ done: accountPace.perSecond, too_many_requests: 2 })
  })

  it('is told the state of its limit of cost when that limit refuses a call by API token', async () => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {})
    const spent = await tally(times(accountPace.atOnce, () => call('is_password_exists', {})))
    expect(spent['too_many_requests']).toBeGreaterThan(0)
    const answer = await fetch(`${shop.origin}${pathOf('is_password_exists')}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(429)
    const { headers } = answer
    expect(headers.get('x-ratelimit-limit')).toBe(String(accountPace.atOnce))
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(headers.get('x-ratelimit-reset')).toBe(String(accountPace.atOnce / accountPace.perSecond))
  })

  it('is charged for lines by their number, and more for an order than for a reading call', async () => {
    const customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    later(60)
    for (let n = 0; n < 19; n++)
      expect((await customer.call('get_proxy', lines(10_000))).split('\n')).toHaveLength(10_000)
    expect((await refusalOf(customer.call('get_proxy', lines(10_000)))).code).toBe('too_many_requests')
    // One list costs 21 tokens. The refused call took one token before its cost was known, so none is left.
    expect(await tally(times(2, () => customer.call('get_proxy', lines(10))))).toEqual({
      too_many_requests: 2,
    })
    later(60)
    const order = { payment_method: 'sandbox', amount: 1, pool: 'residential' } as const
    // One after the other: each of concurrent calls takes its one token before the first takes its cost.
    const ends: Promise<unknown>[] = []
    for (let n = 0; n < 90; n++) {
      const end = customer.call('create_invoice_web', order)
      ends.push(end)
      await end.catch(() => undefined)
    }
    expect(await tally(ends)).toEqual({
      done: 20,
      too_many_open_invoices: 60,
      too_many_requests: 10,
    })
  })
})

it('every call has the costs that docs/api.md states', () => {
  const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  const text = guide.replaceAll(/\s+/g, ' ')
  const table = [...guide.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (\d+) \|$/gm)].flatMap(
    ([, names = '', cost]) => [...names.matchAll(/\w+/g)].map(([name]) => [name, Number(cost)] as const),
  )
  const dear = (Object.keys(wire) as Name[])
    .filter((name) => tokensOf(wire[name], {}) > 1)
    .map((name) => [name, tokensOf(wire[name], {})] as const)
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(dear))
  expect(text).toContain(`${accountPace.perSecond} tokens a second, and up to ${accountPace.atOnce} at once`)
  expect(tokensOf(wire.get_proxy, lines(10_000))).toBe(21)
  expect(text).toContain('a list of 10,000 lines 21')
})

describe('a secret link', () => {
  const settings = (({ pool: _pool, ...rest }) => ({ ...rest, anonymous: 'true' as const }))(lines(10_000))
  const linksOf = (customer: Customer, count: number) =>
    Promise.all(
      times(count, async (n) => {
        const preset = { pool: 'residential', label: `list ${n}`, settings } as const
        const { number } = await customer.call('save_preset', preset)
        return (await customer.call('renew_preset_link', { number })).path
      }),
    )
  const statusOf = async (from: App, path: string) => {
    const answer = await fetch(`${from.origin}${path}`)
    return { status: answer.status, lines: (await answer.text()).split('\n').length - 1 }
  }

  it('takes what its lines cost from the allowance of its owner', async () => {
    const customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    const [one = '', two = ''] = await linksOf(customer, 2)
    later(60)
    for (let n = 0; n < 19; n++)
      expect(await statusOf(shop, n % 2 === 0 ? one : two)).toEqual({ status: 200, lines: 10_000 })
    expect((await statusOf(shop, two)).status).toBe(429)
    expect((await refusalOf(customer.call('get_proxy', lines(500)))).code).toBe('too_many_requests')
    later(60)
  })

  it('waits in the queue of long lists', async () => {
    const customer = await hasty.customer()
    await hasty.buy(customer, { pool: 'residential', gb: 1 })
    const paths = await linksOf(customer, 6)
    const answers = await Promise.all(times(60, (n) => statusOf(hasty, paths[n % 6] ?? '')))
    const done = answers.filter(({ status }) => status === 200).length
    expect(done).toBeGreaterThanOrEqual(queues.lines.waiting + 1)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - done)
    expect(done).toBeLessThan(60)
  })
})

describe('heavy work', () => {
  it('of long lists does not block other calls: few lists are made while a profile is requested', async () => {
    const [customer, other] = [await hasty.customer(), await hasty.customer()]
    await hasty.buy(customer, { pool: 'residential', gb: 1 })
    let [made, isOver] = [0, false]
    const greedy = times(20, async () => {
      while (!isOver) {
        await customer.call('get_proxy', lines(10_000))
        made++
      }
    })
    while (made < 20) await other.call('legacy_profile', {})
    const before = made
    for (let n = 0; n < 20; n++) await other.call('legacy_profile', {})
    const meanwhile = made - before
    isOver = true
    await Promise.all(greedy)
    // A list keeps the event loop busy for 5 ms.
    expect(meanwhile / 20).toBeLessThan(8)
  })

  it('that exceeds its queue is refused immediately', async () => {
    const customer = await hasty.customer()
    await hasty.buy(customer, { pool: 'residential', gb: 1 })
    const counts = await tally(times(60, () => customer.call('get_proxy', lines(10_000))))
    expect(Object.keys(counts).toSorted()).toEqual(['done', 'too_many_requests'])
    expect(counts['done']).toBeGreaterThanOrEqual(queues.lines.waiting + 1)
    // Short lists do not wait.
    expect(await tally(times(60, () => customer.call('get_proxy', lines(100))))).toEqual({ done: 60 })
  })
})

/** Four hundred concurrent guesses, from so many addresses that no count of failures reaches its limit. */
function guesses(ip: (n: number) => string) {
  const { promise: full, resolve } = Promise.withResolvers<void>()
  const ends = { judged: 0, turnedAway: [] as Awaited<ReturnType<typeof refusalOf>>[] }
  const all = times(400, async (n) => {
    const refusal = await guess(n, ip)
    if (refusal.code === 'invalid_credentials') ends.judged++
    else ends.turnedAway.push(refusal)
    // The server has read most of them: a further call does not wait behind those it has yet to read.
    if (ends.turnedAway.length === 200) resolve()
  })
  return { ends, full, over: Promise.all(all) }
}

const guess = (n: number, ip: (n: number) => string) =>
  refusalOf(shop.from(ip(n))('signin', { username: `nobody-${n}`, password: 'a password' }))

describe('four hundred concurrent failing sign-ins', () => {
  /** The number of hashes computed between a sign-in and its answer, while guesses fill the queue. */
  async function hashesMeanwhile(ip: string, site: (n: number) => string) {
    const { username, password } = await shop.customer()
    const { ends, full, over } = guesses(site)
    await full
    const before = ends.judged
    const signedIn = shop.from(ip)('signin', { username, password })
    // A guess from there is answered once its hash is computed; a session takes its time in the database besides.
    expect((await guess(400, () => ip)).code).toBe('invalid_credentials')
    const hashes = ends.judged - before
    expect(await signedIn).toMatch(/^[\w-]{43}$/)
    await over
    return { hashes, ...ends }
  }

  it.each([
    ['of one /48', (n: number) => `2001:db8:66:${(n + 16).toString(16)}::1`],
    ['of one /32', (n: number) => `2001:db9:${(n + 16).toString(16)}::1`],
    ['of one /24', (n: number) => `203.0.112.${n % 250}`],
  ])(
    '%s are refused except for a few, and delay other networks by a few hashes at most',
    async (_what, site) => {
      const { hashes, judged, turnedAway } = await hashesMeanwhile('198.51.100.77', site)
      expect(hashes).toBeLessThan(20)
      expect(judged).toBeLessThan(200)
      for (const refusal of turnedAway)
        expect(refusal).toMatchObject({ status: 429, code: 'too_many_requests', details: { seconds: 1 } })
    },
  )

  it('from many sites that have failed before leave every second turn to sites that have not', async () => {
    const site = (n: number) => `${20 + (n % 50)}.7.7.7`
    for (let n = 0; n < 50; n += 10)
      for (const { code } of await Promise.all(times(10, (k) => guess(n + k, site))))
        expect(code).toBe('invalid_credentials')
    expect((await hashesMeanwhile('198.51.100.88', site)).hashes).toBeLessThan(20)
  })

  it('of one address leave turns to its neighbours in the same /24', async () => {
    expect((await hashesMeanwhile('203.0.111.7', () => '203.0.111.66')).hashes).toBeLessThan(20)
  })
})
