import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findAccess, accessesOf } from '#proxies'
import { feedChannel, readAnnouncement } from '#feed/announcement'
import type { OpenSession } from '#feed'
import type { Pool } from '#contract/wire'
import { verifyLedger } from '#ledger'
import { noteSessions } from '#traffic'
import { accountIdOf, app, type App, refusalOf } from '#test/app'
import { connectionOf, keepConnections } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let owner: StaffMember

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  expect(await verifyLedger(shop.database.db)).toEqual([])
  await office.close()
  await shop.close()
})
beforeEach(async () => void (await owner.call('session', {})))

const buyer = async (pool: Pool = 'residential') => {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
  const id = await accountIdOf(customer)
  const access = await findAccess(shop.database.db, { accountId: BigInt(id), pool })
  if (access === null) throw new Error('the customer has bought, and has no access')
  return { customer, id, access }
}

const session = (more: Partial<OpenSession> = {}): OpenSession => ({
  id: randomUUID(),
  pool: 'residential',
  protocol: 'connect',
  open_ms: 1000,
  idle_ms: 10,
  relayed_bytes: 5000,
  exit: null,
  country: 'de',
  target: 'secret.example:443',
  client: '203.0.113.9',
  client_port: 40_000,
  ...more,
})

/** A worker of a gateway with a heartbeat of now. */
const running = (gateway: string) =>
  shop.database.pool.query(`insert into gateway_boot (gateway, boot) values ($1, 'b')`, [gateway])

/** Workers of gateways that answer what they are asked, until the returned function is called. */
async function workers(names: readonly string[], answer: (login: string) => OpenSession[]) {
  const events: unknown[] = []
  for (const gateway of names) await running(gateway)
  const stop = await shop.database.listen(
    feedChannel,
    (payload) => {
      const event = readAnnouncement(payload)
      events.push(event)
      if (event.type !== 'account_changed' || event.tell === undefined) return
      const sessions = answer(event.login)
      for (const gateway of names)
        void noteSessions(shop.database.db, {
          question: event.tell,
          gateway,
          open: sessions.length,
          sessions,
        })
    },
    { onGap: () => undefined },
  )
  return {
    events,
    stop: async () => {
      await stop()
      await shop.database.pool.query('delete from gateway_boot')
    },
  }
}

describe('open connections', () => {
  it('are listed by all gateways, with targets for a reason only, which is recorded', async () => {
    const { id, access } = await buyer()
    const { stop } = await workers(['gw1-0', 'gw1-1'], (login) =>
      login === access.login ? [session(), session({ open_ms: 9 })] : [],
    )
    const plain = await owner.call('live_connections', { id })
    expect(plain).toMatchObject({ open: 4, answered: 2, asked: 2 })
    expect(plain.rows.map(({ open_ms: ms, target }) => [ms, target])).toEqual([
      [9, null],
      [9, null],
      [1000, null],
      [1000, null],
    ])
    const reason = 'a complaint of the bank'
    expect((await owner.call('live_connections', { id, reason })).rows[0]?.target).toBe('secret.example:443')
    const { rows } = await owner.call('audit', { action: 'live_connections' })
    expect(rows).toMatchObject([{ customer_id: id, reason }])
    const viewer = await office.staff('viewer')
    const seenByViewer = await viewer.call('live_connections', { id })
    expect(seenByViewer.rows.every(({ ip, target }) => ip === '…' && target === null)).toBe(true)
    expect((await refusalOf(viewer.call('live_connections', { id, reason }))).code).toBe('no_permission')
    await stop()
    const left = await shop.database.pool.query('select from session_question')
    expect(left.rowCount).toBe(0)
  })

  it('are shown without those of a silent gateway, which is counted', async () => {
    const { id } = await buyer()
    await running('silent-0')
    const { stop } = await workers(['gw1-0'], () => [session()])
    expect(await owner.call('live_connections', { id })).toMatchObject({ open: 1, answered: 1, asked: 2 })
    await stop()
  })

  it('are cut by the announcement of their owner’s login, one or all', async () => {
    const { id, access } = await buyer()
    const { events, stop } = await workers([], () => [])
    const request_id = randomUUID()
    await owner.call('cut_connections', { id, request_id, reason: 'an attack' })
    await owner.call('cut_connections', { id })
    await expect
      .poll(() => events)
      .toMatchObject([
        { type: 'account_changed', login: access.login, cut: request_id },
        { type: 'account_changed', login: access.login, cut: 'all' },
      ])
    await stop()
    expect((await refusalOf(owner.call('cut_connections', { id: '999999' }))).code).toBe('customer_not_found')
  })

  it('that arrive without a request are not stored', async () => {
    for (const question of [randomUUID(), 'x'])
      await noteSessions(shop.database.db, { question, gateway: 'gw1-0', open: 1, sessions: [session()] })
    expect((await shop.database.pool.query('select from session_answer')).rowCount).toBe(0)
  })
})

describe('a reset of access', () => {
  it('replaces proxy passwords without showing them, ends sign-ins and the token, and sends a link', async () => {
    const { id, customer, access } = await buyer()
    const { secrets } = shop.services
    const passwords = async () =>
      (await accessesOf(shop.database.db, secrets, BigInt(id))).map(({ password }) => password)
    const [before] = await passwords()
    const token = await customer.call('reseller_token', {})
    const parts = ['proxy_passwords', 'sign_in', 'api_token'] as const
    const done = await owner.call('reset_access', { id, parts: [...parts], reason: 'a stolen phone' })
    expect(done).toEqual({ pools: ['residential'], sessions: 1, letter: true, factors: [] })
    const [after] = await passwords()
    expect(after).not.toBe(before)
    expect(JSON.stringify(done)).not.toContain(after)
    const { rows: trail } = await owner.call('audit', { action: 'reset_access', customer_id: id })
    expect(trail).toMatchObject([{ reason: 'a stolen phone' }])
    for (const secret of [before, after, token]) expect(JSON.stringify(trail)).not.toContain(secret)
    expect((await refusalOf(customer.call('legacy_profile', {}))).code).toBe('unauthorized')
    expect((await refusalOf(shop.client(token)('legacy_profile', {}))).code).toBe('unauthorized')
    const { username, password } = customer
    expect((await refusalOf(shop.anyone('signin', { username, password }))).code).toBe('invalid_credentials')
    const { rows } = await owner.call('customer_letters', { id })
    expect(rows[0]).toMatchObject({ template: 'reset_password', state: 'waiting' })
    expect((await findAccess(shop.database.db, { accountId: BigInt(id), pool: 'residential' }))?.login).toBe(
      access.login,
    )
  })

  it('of the proxy passwords alone leaves the customer signed in', async () => {
    const { id, customer } = await buyer()
    const done = await owner.call('reset_access', { id, parts: ['proxy_passwords'], reason: 'leaked' })
    expect(done).toEqual({ pools: ['residential'], sessions: 0, letter: false, factors: [] })
    await customer.call('legacy_profile', {})
  })

  it('of a second factor removes it, notifies the customer, and is in the trail', async () => {
    const customer = await shop.customer()
    const id = await accountIdOf(customer)
    const { secret } = await customer.call('totp_begin', {})
    await customer.call('totp_finish', { code: await office.code(secret) })
    const { username, password } = customer
    expect((await refusalOf(shop.anyone('signin', { username, password }))).code).toBe('second_factor_needed')
    const done = await owner.call('reset_access', { id, parts: ['second_factor'], reason: 'a lost phone' })
    expect(done).toEqual({ pools: [], sessions: 0, letter: false, factors: ['totp', 'recovery_code'] })
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
    const { rows: letters } = await owner.call('customer_letters', { id })
    expect(letters.map(({ template }) => template)).toContain('security_changed')
    const { rows: trail } = await owner.call('audit', { action: 'reset_access', customer_id: id })
    expect(trail).toMatchObject([{ reason: 'a lost phone' }])
  })

  it('is not granted to support, who may resend the confirmation, three times an hour', async () => {
    const support = await office.staff('support')
    const id = await accountIdOf(await shop.customer())
    const order = { id, parts: ['sign_in' as const], reason: 'please' }
    expect((await refusalOf(support.call('reset_access', order))).code).toBe('no_permission')
    for (let each = 0; each < 3; each += 1) await support.call('resend_confirmation', { id })
    expect((await refusalOf(support.call('resend_confirmation', { id }))).code).toBe('too_many_attempts')
    // The letter of the sign-up and three more letters; only the link of the last one works.
    const { rows } = await support.call('customer_letters', { id, limit: 2 })
    expect(rows).toHaveLength(2)
    const links = await shop.database.pool.query(
      `select from account_token where account_id = $1 and kind = 'confirm_email'`,
      [id],
    )
    expect(links.rowCount).toBe(1)
    await shop.database.pool.query('update account set email_confirmed_at = now() where id = $1', [id])
    expect((await refusalOf(support.call('resend_confirmation', { id }))).code).toBe(
      'email_confirmed_already',
    )
  })
})

describe('the pace of the API', () => {
  it('is agreed for one customer, in force at once for calls and their cost, and recorded', async () => {
    const { id, customer } = await buyer()
    const usual = { times: 1, calls_per_second: 20, calls_at_once: 60, agreed_at: null }
    expect(await owner.call('customer_api', { id })).toEqual(usual)
    await owner.call('set_api_pace', { id, times: 5, reason: 'a contract of 2026' })
    expect(await owner.call('customer_api', { id })).toMatchObject({ times: 5, calls_per_second: 100 })
    const token = await customer.call('reseller_token', {})
    const answer = await fetch(`${shop.origin}/api/legacy_profile`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.headers.get('ratelimit-policy')).toBe('"calls";q=300;w=3, "cost";q=2000;w=10')
    await owner.call('set_api_pace', { id, times: 1, reason: 'the contract is over' })
    expect(await owner.call('customer_api', { id })).toEqual(usual)
    const { rows } = await owner.call('audit', { action: 'set_api_pace', customer_id: id })
    expect(rows.map(({ before, after, reason }) => [before, after, reason])).toEqual([
      [{ pace_times: 5 }, { pace_times: 1 }, 'the contract is over'],
      [{ pace_times: 1 }, { pace_times: 5 }, 'a contract of 2026'],
    ])
  })
})

describe('limits', () => {
  it('are read with their use, changed in part, and recorded before and after', async () => {
    const { id, customer } = await buyer()
    const set = { id, pool: 'residential' as const, reason: 'runaway script' }
    await owner.call('set_customer_limits', {
      ...set,
      day_bytes: '5000000000',
      denied_hosts: ['Ads.Example.'],
    })
    await owner.call('set_customer_limits', { ...set, connections: 3 })
    expect(await owner.call('customer_limits', { id })).toEqual([
      {
        pool: 'residential',
        hour_bytes: null,
        day_bytes: '5000000000',
        month_bytes: null,
        connections: 3,
        allowed_hosts: [],
        denied_hosts: ['ads.example'],
        data_saver: false,
        used: { hour_bytes: '0', day_bytes: '0', month_bytes: '0' },
      },
    ])
    expect(await customer.call('get_pool_limits', { pool: 'residential' })).toMatchObject({ connections: 3 })
    const { rows } = await owner.call('audit', { action: 'set_customer_limits', customer_id: id })
    expect(rows[0]).toMatchObject({ before: { connections: null }, after: { connections: 3 } })
    expect((await refusalOf(owner.call('set_customer_limits', { ...set, denied_hosts: ['a b'] }))).code).toBe(
      'invalid_host_pattern',
    )
    expect(
      (await refusalOf(owner.call('set_customer_limits', { ...set, pool: 'mobile', connections: 1 }))).code,
    ).toBe('no_subuser')
  })
})

describe('a block with an end', () => {
  it('is explained at a sign-in, with its reason and its end', async () => {
    const { id, customer } = await buyer()
    const until = '2035-03-04T05:06:00.000Z'
    await owner.call('block_customer', { id, until, reason: 'open relay', tell: true })
    const { username, password } = customer
    const refused = await refusalOf(shop.anyone('signin', { username, password }))
    expect(refused.code).toBe('account_blocked_until')
    expect(refused.message).toContain('2035-03-04 05:06 UTC')
    expect(refused.message).toContain('open relay')
  })
})

describe('the lists of a customer', () => {
  it('have usage by country, and by host only for a reason', async () => {
    const { id, access } = await buyer('mobile')
    const { now } = shop.clock
    const whose = { accessId: access.id, accountId: BigInt(id), pool: 'mobile' as const }
    const ended = [
      connectionOf(whose, now, { target: 'one.example:443', country: 'de' }),
      connectionOf(whose, now, { target: 'one.example:80', country: 'us' }),
      connectionOf(whose, now, { target: 'two.example:443', country: 'us' }),
    ]
    await keepConnections(shop.database.db, ended, now)
    const day = now.toISOString().slice(0, 10)
    const period = { id, from: day, until: day }
    const { rows: countries } = await owner.call('customer_usage_by', { ...period, by: 'country' })
    expect(countries).toEqual([
      { key: 'us', charged_bytes: '2000', relayed_bytes: '2000', requests: '2' },
      { key: 'de', charged_bytes: '1000', relayed_bytes: '1000', requests: '1' },
    ])
    expect(
      (await owner.call('customer_usage_by', { ...period, by: 'country', pool: 'residential' })).rows,
    ).toEqual([])
    const reason = 'a complaint'
    const { rows: hosts } = await owner.call('customer_hosts', { ...period, reason })
    expect(hosts.map(({ host, connections }) => [host, connections])).toEqual([
      ['one.example', '2'],
      ['two.example', '1'],
    ])
    expect((await owner.call('audit', { action: 'customer_hosts' })).rows).toMatchObject([
      { reason, customer_id: id },
    ])
    const accountant = await office.staff('accountant')
    expect((await refusalOf(accountant.call('customer_hosts', { ...period, reason }))).code).toBe(
      'no_permission',
    )
    const without = await owner.browser.fetch(`/api/customer_hosts?id=${id}&from=${day}&until=${day}`)
    expect(without.status).toBe(422)
  })

  it('have promo codes and letters, in pages', async () => {
    const { id, customer } = await buyer()
    for (const code of ['LISTED-A', 'LISTED-B']) {
      const grant = { kind: 'traffic', pool: 'residential', bytes: '1000' } as const
      const codes = { kind: 'one', code } as const
      await owner.call('create_promo_codes', {
        codes,
        grant,
        max_uses: null,
        expires_at: null,
        key: randomUUID(),
      })
      await customer.call('activate_traffic_promocode', { code })
    }
    const first = await owner.call('customer_promo_uses', { id, limit: 1 })
    expect(first.rows).toMatchObject([{ code: 'LISTED-B', kind: 'traffic', state: 'used' }])
    const rest = await owner.call('customer_promo_uses', { id, after: first.next ?? '' })
    expect(rest).toMatchObject({ rows: [{ code: 'LISTED-A' }], next: null })

    const letters = await owner.call('customer_letters', { id })
    const seenIds: string[] = []
    let page = await owner.call('customer_letters', { id, limit: 1 })
    seenIds.push(...page.rows.map((row) => row.id))
    while (page.next !== null) {
      page = await owner.call('customer_letters', { id, limit: 1, after: page.next })
      seenIds.push(...page.rows.map((row) => row.id))
    }
    expect(seenIds).toEqual(letters.rows.map((row) => row.id))
    expect(new Set(seenIds).size).toBe(letters.rows.length)
    expect(letters.rows.map(({ template }) => template).toSorted()).toEqual([
      'confirm_email',
      'payment_received',
    ])
    const { rows: events } = await owner.call('customer_timeline', { id })
    expect(events.filter(({ kind }) => kind === 'letter').map(({ subject_id }) => subject_id)).toEqual(
      letters.rows.map((row) => row.id),
    )
    expect(events.find(({ facts }) => facts['template'] === 'payment_received')).toMatchObject({
      facts: { state: letters.rows.find(({ template }) => template === 'payment_received')?.state },
    })
    for (const after of ['x', Buffer.from('a\nb').toString('base64url')])
      expect((await refusalOf(owner.call('customer_letters', { id, after }))).code).toBe('invalid_after')
  })
})

describe('the timeline', () => {
  it('lists the account, its sign-ins, addresses, invitations and the promo code of an order', async () => {
    const { id, customer } = await buyer()
    const code = `ORDERED-${id}`
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code },
      grant: { kind: 'discount', discount_ppm: 100_000, min_gb: 1 },
      max_uses: null,
      expires_at: null,
      key: randomUUID(),
    })
    const order = { payment_method: 'sandbox', amount: 1, pool: 'residential', promocode: code } as const
    await customer.call('create_invoice_web', order)
    await customer.call('add_ip_to_whitelist', { ip: '8.8.4.77', pool: 'residential' })
    const [info] = await customer.call('legacy_referal_info', {})
    const invited = { username: `invited${id}`, email: `invited${id}@example.com`, password: 'a password' }
    const referral = new URL(info?.links.website ?? '').searchParams.get('ref')
    await shop.from('203.0.113.66')('signup', { ...invited, referral_id: referral })
    const { rows } = await owner.call('customer_timeline', { id })
    const facts = (kind: string) => rows.find((event) => event.kind === kind)?.facts
    expect(facts('invoice_made')).toMatchObject({ promo_code: code })
    expect(facts('address_listed')).toMatchObject({ pool: 'residential', ip: '8.8.4.77' })
    expect(facts('invited')).toMatchObject({ name: invited.username })
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['signed_in', 'signed_up']))
    const seen = await owner.call('customer', { id })
    expect(rows.find(({ kind }) => kind === 'signed_in')?.at).toBe(seen.last_signed_in_at)
    const viewer = await office.staff('viewer')
    const masked = await viewer.call('customer_timeline', { id })
    expect(masked.rows.find(({ kind }) => kind === 'address_listed')?.facts['ip']).toBe('…')
  })
})
