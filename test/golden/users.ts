/** The calls for proxy users. */
import { sql } from 'kysely'
import { descriptions } from '#contract/openapi/descriptions'
import type { Name } from '#contract/wire'
import { seedDemoInventory } from '#inventory'
import { ensureAccess } from '#proxies'
import { keyed } from './shared.ts'
import type { Story } from './story.ts'

export async function users(story: Story): Promise<void> {
  const customer = await story.customer('anna_smith')
  await story.shop.buy(customer, { pool: 'residential', gb: 5 })
  await story.shop.buy(customer, { pool: 'datacenter', gb: 1 })
  const as = 'anna_smith'
  const pool = 'residential'
  const ask = async (call: Name, name: string, input: object, asked: object = {}) =>
    story.ask(call, name, { as, input: { pool, ...input }, ...asked })
  const learned = (nr: number) => ({
    learn: {
      [`login of proxy user ${nr}`]: /"login":"(u\w{11})"/,
      [`password of proxy user ${nr}`]: /"password":"(\w{16})"/,
    },
  })
  await ask('get_proxy_users', 'success-none', {})
  const first = {
    label: 'Berlin',
    total_bytes: 10_000_000_000,
    countries: ['DE'],
    addresses: ['203.0.113.7/24'],
  }
  await ask('create_proxy_user', 'success', first, learned(1))
  await ask('get_proxy_users', 'success', {})
  await ask('get_proxy_users', 'success-one', { number: 1, passwords: true })
  await ask('change_proxy_user', 'success', {
    number: 1,
    day_bytes: 1_000_000_000,
    allowed_hosts: ['*.Example.com'],
  })
  await ask('freeze_proxy_user', 'success', { number: 1, frozen: true })
  for (const call of ['give_proxy_user', 'take_proxy_user'] as const) {
    const { input, key } = keyed[call]
    await story.ask(call, 'success', { as, input, headers: { 'idempotency-key': key } })
  }
  await ask('take_proxy_user', 'user-has-less', { number: 1, bytes: 10 ** 15 }, { ends: 'user_has_less' })
  const much = { number: 1, bytes: 10 ** 15 }
  await ask('give_proxy_user', 'user-limit-too-large', much, { ends: 'user_limit_too_large' })
  for (const call of ['give_proxy_user', 'take_proxy_user'] as const)
    await ask(call, 'invalid-user-bytes', { number: 1, bytes: 0 }, { ends: 'invalid_user_bytes' })
  await ask('proxy_user_usage', 'success', { number: 1, days: 2 })
  const again = { learn: { 'new password of a proxy user': /"password":"(\w{16})"/ } }
  await ask('renew_proxy_user_password', 'success', { number: 1 }, again)
  await ask('create_proxy_user', 'success-without-limits', { label: 'Client 2' }, learned(2))
  for (const call of ['give_proxy_user', 'take_proxy_user'] as const)
    await ask(call, 'user-unlimited', { number: 2, bytes: 1 }, { ends: 'user_unlimited' })
  const several = { users: [{ label: 'Client 3', external_id: 'c-3' }, { label: 'Client 4' }] }
  await ask('create_proxy_users', 'success', several, {
    learn: {
      'login of proxy user 3': /"number":3,[^}]*?"login":"(u\w{11})"/,
      'password of proxy user 3': /"number":3,[^}]*?"password":"(\w{16})"/,
      'login of proxy user 4': /"number":4,[^}]*?"login":"(u\w{11})"/,
      'password of proxy user 4': /"number":4,[^}]*?"password":"(\w{16})"/,
    },
  })
  await ask('proxy_users_usage', 'success', { from: '2026-11-01', to: '2026-11-30' })
  await ask('create_proxy_user', 'user-label-taken', { label: 'BERLIN' }, { ends: 'user_label_taken' })
  for (const [call, input] of [
    ['create_proxy_user', { label: 'y', external_id: 'c-3' }],
    ['create_proxy_users', { users: [{ label: 'y', external_id: 'c-3' }] }],
    ['change_proxy_user', { number: 1, external_id: 'c-3' }],
  ] as const)
    await ask(call, 'user-external-id-taken', input, { ends: 'user_external_id_taken' })
  const taken = { users: [{ label: 'berlin' }] }
  await ask('create_proxy_users', 'user-label-taken', taken, { ends: 'user_label_taken' })
  const renamed = { number: 2, label: 'berlin' }
  await ask('change_proxy_user', 'user-label-taken', renamed, { ends: 'user_label_taken' })
  const elsewhere = { pool: 'mobile', number: 1 }
  const missing = { number: 7 }
  for (const [call, rest] of [
    ['get_proxy_users', null],
    ['create_proxy_user', { label: 'x' }],
    ['create_proxy_users', { users: [{ label: 'x' }] }],
    ['proxy_users_usage', { from: '2026-11-01', to: '2026-11-30' }],
    ['change_proxy_user', {}],
    ['add_proxy_user_to_pool', { to: 'residential' }],
    ['freeze_proxy_user', { frozen: true }],
    ['renew_proxy_user_password', {}],
    ['delete_proxy_user', {}],
    ['give_proxy_user', { bytes: 1 }],
    ['take_proxy_user', { bytes: 1 }],
    ['proxy_user_usage', { days: 7 }],
  ] as const) {
    const isOne = !/users|create/.test(call)
    const there = isOne ? elsewhere : { pool: 'mobile' }
    await ask(call, 'no-subuser', { ...there, ...rest }, { ends: 'no_subuser' })
    if (isOne) await ask(call, 'user-not-found', { ...missing, ...rest }, { ends: 'user_not_found' })
  }
  for (const [call, one] of [
    ['create_proxy_user', { label: 'x' }],
    ['create_proxy_users', { label: 'x' }],
    ['change_proxy_user', { number: 1 }],
    ['add_proxy_user_to_pool', { number: 1, to: 'datacenter' }],
  ] as const) {
    const many = Array.from({ length: 101 }, (_, index) => `h${index}.example`)
    const refused = {
      invalid_label: { label: ' ' },
      invalid_external_id: { external_id: 'a b' },
      invalid_user_limit: { day_bytes: -1 },
      invalid_connections: { connections: 0 },
      invalid_expires_at: { expires_at: 'soon' },
      invalid_host_pattern: { allowed_hosts: ['http://x'] },
      too_many_hosts: { allowed_hosts: many },
      unknown_location: { countries: ['zz'] },
      country_allowed_and_denied: { countries: ['us'], denied_countries: ['US', 'fr'] },
      invalid_client_address: { addresses: ['home'] },
      invalid_metadata: { metadata: { plan: '' } },
      invalid_user_login: { login: 'Anna' },
      user_login_taken: { login: 'admin.anna' },
      invalid_user_password: { password: 'short' },
    }
    for (const [code, wrong] of Object.entries(refused) as [keyof typeof refused, object][]) {
      // These are the same in all pools.
      if (isOfAllPools.has(code) && call === 'add_proxy_user_to_pool') continue
      const user = { ...one, ...wrong }
      const input = call === 'create_proxy_users' ? { users: [user] } : user
      await ask(call, code.replaceAll('_', '-'), input, { ends: code })
    }
  }
  await ask('get_proxy_users', 'invalid-external-id', { external_id: 'a b' }, { ends: 'invalid_external_id' })
  await many(story, ask)
  // The tokens of the customer are full again.
  story.shop.clock.now = new Date(story.shop.clock.now.getTime() + 60_000)
  await reserves(story, ask, learned(5))
  await pools(ask)
  await ask('delete_proxy_user', 'success', { number: 2 })
  // The operator allows no more.
  await story.shop.database.db
    .insertInto('shop_setting')
    .values({
      name: 'proxy_users_per_pool',
      value: 1n,
      changed_by: 'owner',
      reason: null,
      changed_at: new Date(),
    })
    .execute()
  await ask('create_proxy_user', 'too-many-users', { label: 'Client 5' }, { ends: 'too_many_users' })
  const more = { users: [{ label: 'Client 5' }] }
  await ask('create_proxy_users', 'too-many-users', more, { ends: 'too_many_users' })
  await lines(story, pool)
  await connections(story, ask)
  await refusedLines(story, ask)
  const third = { number: 3, to: 'datacenter' }
  await ask('add_proxy_user_to_pool', 'too-many-users', third, { ends: 'too_many_users' })
  await sql`update proxy_user set password_sealed = 'damaged' where nr = 3`.execute(story.shop.database.db)
  const unreadable = { ends: 'proxy_password_unreadable' }
  await ask('add_proxy_user_to_pool', 'proxy-password-unreadable', third, unreadable)
}

/** Calls about one by its names, and about many at once. */
async function many(story: Story, ask: Ask): Promise<void> {
  const as = 'anna_smith'
  await ask('get_proxy_user', 'no-subuser', { pool: 'mobile', number: 1 }, { ends: 'no_subuser' })
  await ask('get_proxy_user', 'success', { external_id: 'c-3' })
  await ask('get_proxy_user', 'user-not-found', { number: 70 }, { ends: 'user_not_found' })
  await ask('get_proxy_user', 'invalid-user-choice', {}, { ends: 'invalid_user_choice' })
  const wrongId = { external_id: 'a b' }
  await ask('get_proxy_user', 'invalid-external-id', wrongId, { ends: 'invalid_external_id' })
  const wrongPair = { metadata: { key: 'a b', value: 'c' } }
  await ask('get_proxy_users', 'invalid-metadata', wrongPair, { ends: 'invalid_metadata' })
  const users = [{ external_id: 'c-3' }, { label: 'Nobody' }]
  const wish = { ...descriptions.proxy_users_lines.input, type: 'rotating', sessionttl: 0, countries: null }
  await ask('freeze_proxy_users', 'success', { users, frozen: true })
  await ask('freeze_proxy_users', 'success-freed', { users: users.slice(0, 1), frozen: false })
  await ask('proxy_users_lines', 'success', { ...wish, users: users.slice(0, 1) })
  for (const [call, rest] of [
    ['freeze_proxy_users', { frozen: true }],
    ['delete_proxy_users', {}],
    ['proxy_users_lines', wish],
  ] as const) {
    const choose = (chosen: object) => ({ ...rest, users: undefined, ...chosen })
    const both = choose({ users, filter: {}, limit: 1 })
    await ask(call, 'invalid-user-choice', both, { ends: 'invalid_user_choice' })
    await ask(call, 'invalid-external-id', choose({ users: [wrongId] }), { ends: 'invalid_external_id' })
    await ask(call, 'invalid-metadata', choose({ filter: wrongPair, limit: 1 }), { ends: 'invalid_metadata' })
    await ask(call, 'no-subuser', choose({ pool: 'mobile', filter: {}, limit: 1 }), { ends: 'no_subuser' })
  }
  for (const [code, wrong] of Object.entries({
    user_not_found: { users: users.slice(1) },
    user_needs_password: { format: 'hostname:port' },
    invalid_quantity: { quantity: 10_001 },
    invalid_sessionttl: { sessionttl: 10_001 },
    invalid_anonymous: { anonymous: 'maybe' },
    unknown_location: { countries: ['zz'] },
    contradictory_targeting: { zipcodes: ['90001'] },
  }))
    await ask(
      'proxy_users_lines',
      code.replaceAll('_', '-'),
      { ...wish, users: users.slice(0, 1), ...wrong },
      { ends: code },
    )
  await ask('delete_proxy_users', 'success', { users: [{ number: 70 }] })
  const prefix = async (name: string, input: Record<string, unknown>, asked: object = {}) =>
    story.ask('set_proxy_login_prefix', name, { as, input, ...asked })
  await prefix('success', { prefix: 'acme' })
  await prefix('invalid-login-prefix', { prefix: 'A' }, { ends: 'invalid_login_prefix' })
  await prefix('login-prefix-taken', { prefix: 'turnpike' }, { ends: 'login_prefix_taken' })
  await prefix('success-none', { prefix: null })
  await story.customer('no_proxies')
  const none = { as: 'no_proxies', input: { prefix: 'none' }, ends: 'no_subuser' } as const
  await story.ask('set_proxy_login_prefix', 'no-subuser', none)
}

/** Refusals for want of traffic and of a readable password. */
async function refusedLines(story: Story, ask: Ask): Promise<void> {
  const wish = { ...descriptions.proxy_users_lines.input, type: 'rotating', sessionttl: 0, countries: null }
  const { database, services } = story.shop
  const { rows } = await sql<{ accountId: bigint; sealed: Buffer }>`
    select s.account_id as "accountId", u.password_sealed as sealed from proxy_user u
    join access s on s.id = u.access_id where u.external_id = 'c-3'`.execute(database.db)
  const [{ accountId, sealed } = { accountId: 0n, sealed: Buffer.of() }] = rows
  await ensureAccess(database.db, services.secrets, { accountId, pool: 'residential_premium' })
  const poor = { ...wish, pool: 'residential_premium', users: undefined, filter: {}, limit: 1 }
  await ask('proxy_users_lines', 'no-traffic', poor, { ends: 'no_traffic' })
  const damage = (bytes: Buffer) =>
    sql`update proxy_user set password_sealed = ${bytes} where external_id = 'c-3'`.execute(database.db)
  await damage(Buffer.from('damaged'))
  const unreadable = { ...wish, users: [{ external_id: 'c-3' }] }
  await ask('proxy_users_lines', 'proxy-password-unreadable', unreadable, {
    ends: 'proxy_password_unreadable',
  })
  await damage(sealed)
}

type Ask = (call: Name, name: string, input: object, asked?: object) => Promise<unknown>

/** A proxy user with traffic of its own, of a customer with 5 GB. */
async function reserves(story: Story, ask: Ask, learned: object): Promise<void> {
  const reserved = { label: 'Reserved', reserved: true, total_bytes: 2_000_000_000 }
  await ask('create_proxy_user', 'success-reserved', reserved, learned)
  await story.ask('legacy_profile', 'success-with-a-reserve', {
    as: 'anna_smith',
    learn: {
      'proxy password': /"residential":\{[^}]*"password":"(\w{16})"/,
      'proxy password of datacenter': /"datacenter":\{[^}]*"password":"(\w{16})"/,
    },
  })
  const much = { label: 'Much', reserved: true, total_bytes: 3_000_000_001 }
  const ends = { ends: 'reserve_not_covered' }
  await ask('create_proxy_user', 'reserve-not-covered', much, ends)
  await ask('create_proxy_users', 'reserve-not-covered', { users: [much] }, ends)
  await ask('give_proxy_user', 'reserve-not-covered', { number: 5, bytes: 3_000_000_001 }, ends)
  const changed = { number: 5, total_bytes: 1 }
  await ask('change_proxy_user', 'user-is-reserved', changed, { ends: 'user_is_reserved' })
}

/** Refusals of what is the same in all pools of a login. */
const isOfAllPools = new Set([
  'invalid_label',
  'invalid_external_id',
  'invalid_metadata',
  'invalid_user_login',
  'user_login_taken',
  'invalid_user_password',
])

/** A login is used in two pools. */
async function pools(ask: Ask): Promise<void> {
  const to = 'datacenter'
  const much = { number: 1, to, reserved: true, total_bytes: 2_000_000_000 }
  await ask('add_proxy_user_to_pool', 'reserve-not-covered', much, { ends: 'reserve_not_covered' })
  await ask('add_proxy_user_to_pool', 'success', { number: 1, to, total_bytes: 500_000_000 })
  await ask('add_proxy_user_to_pool', 'user-in-pool', { number: 1, to }, { ends: 'user_in_pool' })
  const taken = { number: 4, to }
  await ask(
    'create_proxy_user',
    'success-in-another-pool',
    { pool: to, label: 'Client 4' },
    {
      learn: {
        'login of a proxy user of another pool': /"login":"(u\w{11})"/,
        'password of a proxy user of another pool': /"password":"(\w{16})"/,
      },
    },
  )
  await ask('add_proxy_user_to_pool', 'user-label-taken', taken, { ends: 'user_label_taken' })
}

/** Open connections are ended. */
async function connections(story: Story, ask: Ask): Promise<void> {
  await ask('end_connections', 'success', {})
  await ask('end_connections', 'success-of-a-session', { proxy_user: 1, session: '8f3a2c' })
  const one = { proxy_user: 1, request_id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77' }
  await ask('end_connections', 'success-of-one', one)
  await ask('end_connections', 'no-subuser', { pool: 'mobile' }, { ends: 'no_subuser' })
  await ask('end_connections', 'user-not-found', { proxy_user: 7 }, { ends: 'user_not_found' })
  await ask('end_connections', 'invalid-session', { session: 'A-1' }, { ends: 'invalid_session' })
  await ask('end_connections', 'invalid-request-id', { request_id: '1' }, { ends: 'invalid_request_id' })
  await sql`
    insert into ended_connection (access_id, holder_id, kind, name)
    select access_id, id, 'session', 's' || n from proxy_user, generate_series(1, 500) n
    where nr = 1 and label <> ''`.execute(story.shop.database.db)
  const another = { proxy_user: 1, session: 'another' }
  await ask('end_connections', 'too-many-ended-sessions', another, { ends: 'too_many_ended_sessions' })
}

/** The generator makes lines of a proxy user. */
async function lines(story: Story, pool: string): Promise<void> {
  const wish = {
    pool,
    anonymous: 'true',
    type: 'rotating',
    protocol: 'http',
    format: 'login:password@hostname:port',
    quantity: 1,
    sessionttl: 0,
    proxy_user: 1,
  }
  const as = 'anna_smith'
  await story.ask('get_proxy', 'success-of-a-proxy-user', { as, input: wish })
  const unknown = { ...wish, proxy_user: 7 }
  await story.ask('get_proxy', 'user-not-found', { as, input: unknown, ends: 'user_not_found' })
  await seedDemoInventory(story.shop.database)
  const elsewhere = { ...wish, countries: ['us'] }
  await story.ask('get_proxy', 'user-country-denied', { as, input: elsewhere, ends: 'user_country_denied' })
  const ofMany = ({ proxy_user: number, ...input }: typeof wish) => ({ ...input, users: [{ number }] })
  const denied = { as, input: ofMany(elsewhere), ends: 'user_country_denied' } as const
  await story.ask('proxy_users_lines', 'user-country-denied', denied)
  const rules = { pool, number: 1, no_double_tariff: true, denied_countries: ['RU'] }
  await story.ask('change_proxy_user', 'success-places', { as, input: rules })
  const double = { ...wish, states: ['de_be'] }
  await story.ask('get_proxy', 'user-double-tariff', { as, input: double, ends: 'user_double_tariff' })
  const doubled = { as, input: ofMany(double), ends: 'user_double_tariff' } as const
  await story.ask('proxy_users_lines', 'user-double-tariff', doubled)
  const slots = { ...wish, format: 'hostname:port' }
  await story.ask('get_proxy', 'user-needs-password', { as, input: slots, ends: 'user_needs_password' })
}
