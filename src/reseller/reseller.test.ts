import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Name, pathOf, wire } from '#contract/wire'
import type { Pace } from '#db/call'
import { secretsOf } from '#lib/secret'
import { accountIdOf, type App, app, type Customer, refusalOf } from '#test/app'
import { newAccount } from '#test/people'
import { agreePace } from './agreement.ts'
import { callsAtOnce, callsPerSecond, keepPace, paceOf } from './pace.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const accountId = async (username: string) => {
  const { id } = await shop.database.db
    .selectFrom('account')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  return id
}

/** A call by its name alone, with a token: the test concerns the kind of answer, not the input. */
const send = (name: Name, token: string, headers: Record<string, string> = {}) =>
  fetch(`${shop.origin}${pathOf(name)}`, {
    method: wire[name].method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(wire[name].method === 'POST' ? { body: '{}' } : {}),
  })

describe('the token', () => {
  it('is created at the first call and stays the same', async () => {
    const { call } = await shop.customer('steadyone')
    const tokens = await Promise.all(Array.from({ length: 6 }, () => call('reseller_token', {})))
    expect(tokens[0]).toMatch(/^tpr_[\w-]{43}$/)
    expect(new Set(tokens).size).toBe(1)
    expect(await call('reseller_token', {})).toBe(tokens[0])
  })

  it('is stored sealed, and by its SHA-256', async () => {
    const { call } = await shop.customer('sealedone')
    const token = await call('reseller_token', {})
    const row = await shop.database.db
      .selectFrom('reseller_token')
      .selectAll()
      .where('account_id', '=', await accountId('sealedone'))
      .executeTakeFirstOrThrow()
    expect(row.token_sha256).toHaveLength(32)
    expect(row.token_sealed.toString('latin1')).not.toContain(token.slice(4))
  })

  it('that was sealed with another key works and cannot be shown; a new one can', async () => {
    const { call } = await shop.customer('lostkeyone')
    const token = await call('reseller_token', {})
    await shop.database.db
      .updateTable('reseller_token')
      .set({ token_sealed: secretsOf('another key, also long enough to be one').seal(token, 'x') })
      .where('account_id', '=', await accountId('lostkeyone'))
      .execute()
    expect(await refusalOf(call('reseller_token', {}))).toMatchObject({ code: 'token_unreadable' })
    expect((await send('legacy_profile', token)).status).toBe(200)
    const fresh = await call('rotate_reseller_token', {})
    expect(await call('reseller_token', {})).toBe(fresh)
  })

  it('belongs to its account: another account gets another', async () => {
    const [one, two] = [await shop.customer(), await shop.customer()]
    expect(await one.call('reseller_token', {})).not.toBe(await two.call('reseller_token', {}))
  })

  it('is invalid immediately after rotation, and the new one works', async () => {
    const { call } = await shop.customer()
    const old = await call('reseller_token', {})
    const fresh = await call('rotate_reseller_token', {})
    expect(fresh).not.toBe(old)
    expect((await send('legacy_profile', old)).status).toBe(401)
    expect((await send('legacy_profile', fresh)).status).toBe(200)
    expect(await call('reseller_token', {})).toBe(fresh)
  })

  it('is invalid immediately after revocation; the next call creates another', async () => {
    const { call } = await shop.customer()
    const old = await call('reseller_token', {})
    expect(await call('revoke_reseller_token', {})).toBe(true)
    expect(await call('revoke_reseller_token', {})).toBe(true)
    expect((await send('legacy_profile', old)).status).toBe(401)
    expect(await call('reseller_token', {})).not.toBe(old)
  })

  it('may rotate and revoke itself', async () => {
    const { call } = await shop.customer()
    const byToken = shop.client(await call('reseller_token', {}))
    const next = shop.client(await byToken('rotate_reseller_token', {}))
    expect(await refusalOf(byToken('is_password_exists', {}))).toMatchObject({ status: 401 })
    expect(await next('revoke_reseller_token', {})).toBe(true)
    expect(await refusalOf(next('is_password_exists', {}))).toMatchObject({ status: 401 })
  })

  it('is invalid immediately when the account is blocked', async () => {
    const { call } = await shop.customer('blockedone')
    const token = await call('reseller_token', {})
    const block = (at: Date | null) =>
      shop.database.db
        .updateTable('account')
        .set({ blocked_at: at })
        .where('username', '=', 'blockedone')
        .execute()
    await block(new Date())
    expect((await send('legacy_profile', token)).status).toBe(401)
    await block(null)
    expect((await send('legacy_profile', token)).status).toBe(200)
  })

  it('remains valid after the session that created it', async () => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {})
    await call('signout', {})
    expect((await send('legacy_profile', token)).status).toBe(200)
  })
})

describe('the calls of a reseller', () => {
  const customerCalls = (Object.keys(wire) as Name[]).filter((name) => wire[name].who === 'customer')
  const ending = ['rotate_reseller_token', 'revoke_reseller_token']

  it.each(customerCalls.filter((name) => wire[name].token && !ending.includes(name)))(
    '%s accepts the token',
    async (name) => {
      const { call } = await shop.customer()
      const answer = await send(name, await call('reseller_token', {}))
      expect(answer.status).not.toBe(401)
      expect(await answer.text()).not.toContain('not_for_reseller_token')
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(callsAtOnce))
    },
  )

  it.each(['signout', 'change_account_password'] as const)('%s refuses it', async (name) => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {})
    const answer = await send(name, token, { 'accept-language': 'en' })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toEqual({
      code: 'not_for_reseller_token',
      message: 'An API token cannot make this call. Sign in on the site.',
    })
    expect(await call('is_password_exists', {})).toBe(true)
  })

  it.each(['tpr_', `tpr_${'a'.repeat(43)}`, `tpr_${'a'.repeat(500)}`])('%.12s… is refused', async (token) => {
    const answer = await send('legacy_profile', token)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
  })
})

/** Counts one call of an account. */
async function countCall(id: bigint): Promise<Pace | undefined> {
  const counted = await keepPace(shop.database.db, sql<{ id: bigint }>`select ${id}::bigint as id`)
  return counted?.pace
}

/**
 * A refused call of a token whose allowance is used up all the time: a busy machine sends fewer calls than the
 * rate limit admits.
 */
async function refusedWhileUsed(customer: Customer, token: string): Promise<Response> {
  const id = BigInt(await accountIdOf(customer))
  let isOver = false
  const using = (async () => {
    while (!isOver) await countCall(id)
  })()
  try {
    for (;;) {
      const answer = await send('is_password_exists', token)
      if (answer.status === 429) return answer
    }
  } finally {
    isOver = true
    await using
  }
}

describe('the rate limit', () => {
  it('admits a burst, counts down, then returns the time to wait', async () => {
    const customer = await shop.customer()
    const { call } = customer
    const token = await call('reseller_token', {})
    const first = await send('is_password_exists', token)
    const left = Number(first.headers.get('x-ratelimit-remaining'))
    expect(left).toBeGreaterThan(callsAtOnce - 5)
    expect(left).toBeLessThan(callsAtOnce)
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 3 * callsAtOnce }, () => send('is_password_exists', token)),
    )
    const seconds = (performance.now() - started) / 1000
    const through = answers.filter(({ status }) => status === 200).length
    expect(through).toBeGreaterThanOrEqual(callsAtOnce - 5)
    expect(through).toBeLessThanOrEqual(callsAtOnce + Math.ceil(seconds * callsPerSecond))
    const refused = answers.find(({ status }) => status === 429) ?? (await refusedWhileUsed(customer, token))
    expect(await refused?.json()).toMatchObject({ code: 'too_many_requests', details: { seconds: 1 } })
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0')
    // Neither the person behind the token nor others are slowed down.
    expect(await call('is_password_exists', {})).toBe(true)
  })

  it('is the account’s, not the token’s: a new token brings no new allowance', async () => {
    const { call } = await shop.customer('pacedone')
    await call('reseller_token', {})
    const started = performance.now()
    await spend(await accountId('pacedone'))
    const fresh = await call('rotate_reseller_token', {})
    const answer = await send('is_password_exists', fresh)
    const seconds = (performance.now() - started) / 1000
    // Only the allowance regained since the burst is left.
    const left = Number(answer.headers.get('x-ratelimit-remaining'))
    expect(left).toBeLessThanOrEqual(Math.ceil(seconds * callsPerSecond))
  })

  it('is shared by all processes, and exact under load', async () => {
    const id = 1_000_000n
    const started = performance.now()
    const paces = await Promise.all(Array.from({ length: 200 }, () => countCall(id)))
    const seconds = (performance.now() - started) / 1000
    const through = paces.filter((pace) => pace?.retryAfterSeconds === null).length
    expect(through).toBeGreaterThanOrEqual(callsAtOnce)
    expect(through).toBeLessThanOrEqual(callsAtOnce + Math.ceil(seconds * callsPerSecond))
  })

  it('is a multiple by agreement, and the usual one again when the agreement ends', async () => {
    const id = await newAccount(shop.database.db)
    await agreePace(shop.database.db, { accountId: id, times: 10 }, new Date())
    const started = performance.now()
    const paces = await Promise.all(Array.from({ length: 700 }, () => countCall(id)))
    const seconds = (performance.now() - started) / 1000
    const through = paces.filter((pace) => pace?.retryAfterSeconds === null).length
    expect(through).toBeGreaterThanOrEqual(Math.min(700, 10 * callsAtOnce))
    expect(through).toBeLessThanOrEqual(10 * (callsAtOnce + Math.ceil(seconds * callsPerSecond)))
    expect(paces[0]).toMatchObject({ times: 10, limit: 10 * callsAtOnce, windowSeconds: 3 })
    await agreePace(shop.database.db, { accountId: id, times: 1 }, new Date())
    expect(await countCall(id)).toMatchObject({ times: 1, limit: callsAtOnce })
  })

  it('states the limits of calls and of cost in every answer to a token', async () => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {})
    const stated = async (name: Name) => {
      const { status, headers } = await send(name, token)
      return [status, headers.get('ratelimit-policy'), headers.get('ratelimit')]
    }
    const state = expect.stringMatching(/^"calls";r=5\d;t=\d, "cost";r=3\d\d;t=\d$/)
    const policy = '"calls";q=60;w=3, "cost";q=400;w=10'
    expect(await stated('is_password_exists')).toEqual([200, policy, state])
    expect(await stated('create_proxy_user')).toEqual([422, policy, state])
    expect(await stated('signout')).toEqual([403, policy, state])
  })

  it('recovers when the clock was set back', async () => {
    const id = 1_000_001n
    await countCall(id)
    await shop.database.pool.query(
      `update reseller_pace set paid_until = now() + interval '1 day' where account_id = ${id}`,
    )
    expect(await countCall(id)).toMatchObject({ retryAfterSeconds: null })
  })

  it('in numbers', () => {
    expect(paceOf(50, true)).toEqual({
      times: 1,
      limit: 60,
      windowSeconds: 3,
      remaining: 59,
      resetSeconds: 1,
      retryAfterSeconds: null,
    })
    expect(paceOf(1500, true, 10)).toMatchObject({ limit: 600, remaining: 300, resetSeconds: 2 })
    expect(paceOf(3000, true)).toMatchObject({ remaining: 0, resetSeconds: 3, retryAfterSeconds: null })
    expect(paceOf(2990, false)).toMatchObject({ remaining: 0, retryAfterSeconds: 1 })
    expect(paceOf(-5, true)).toMatchObject({ remaining: 60, resetSeconds: 0 })
  })

  /** Sets the state after a burst: for seconds nothing is left of the allowance. */
  async function spend(id: bigint): Promise<void> {
    await countCall(id)
    await shop.database.pool.query(
      `update reseller_pace set paid_until = clock_timestamp() + interval '2999 milliseconds' where account_id = ${id}`,
    )
  }
})
