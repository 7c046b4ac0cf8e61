/** The calls of proxies: places, lines, passwords, the whitelist, statistics. */
import { sql } from 'kysely'
import { seedDemoExits } from '#exits'
import type { RequestRecord } from '#feed'
import { makeBillRoot } from '#ledger'
import { loadInventory, type InventoryRow } from '#inventory'
import { ensureAccess } from '#proxies'
import { keepRequests } from '#requests'
import { accountCalled } from '#accounts'
import { lease, openMeter, settle } from '#traffic'
import type { Pool } from '#contract/wire'
import { type Customer, refusalOf } from '../app.ts'
import { batchOf } from '../connections.ts'
import type { Story } from './story.ts'

const row = (pool: Pool, country: string, rest: Partial<InventoryRow> & { count: number }): InventoryRow => ({
  pool,
  country,
  state: null,
  city: null,
  zip: null,
  asn: null,
  ...rest,
})

const rows = [
  row('residential', 'us', { state: 'us_ca', city: 'us_ca_fresno', zip: '93701', asn: 7018, count: 50 }),
  row('residential', 'us', { state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 7018, count: 70 }),
  row('residential', 'us', { state: 'us_ny', city: 'us_ny_albany', zip: '12201', asn: 701, count: 30 }),
  row('residential', 'de', { state: 'de_be', city: 'de_be_berlin', zip: '10115', asn: 3320, count: 90 }),
  row('residential', 'sg', { city: 'sg_singapore', zip: '018956', asn: 4657, count: 9 }),
  row('datacenter', 'nl', { asn: 60781, count: 12 }),
]

const places = [
  { id: 'us_ca', nameRu: 'Калифорния', nameEn: 'California' },
  { id: 'us_ny', nameRu: 'Нью-Йорк', nameEn: 'New York' },
  { id: 'us_ca_fresno', nameRu: 'Фресно', nameEn: 'Fresno' },
  { id: 'us_ca_los_angeles', nameRu: 'Лос-Анджелес', nameEn: 'Los Angeles' },
  { id: 'us_ny_albany', nameRu: 'Олбани', nameEn: 'Albany' },
  { id: 'de_be', nameRu: 'Берлин', nameEn: 'Berlin' },
  { id: 'de_be_berlin', nameRu: 'Берлин', nameEn: 'Berlin' },
  { id: 'sg_singapore', nameRu: 'Сингапур', nameEn: 'Singapore' },
]

const networks = [
  { asn: 7018, name: 'AT&T' },
  { asn: 3320, name: 'Deutsche Telekom' },
]

const fill = ({ shop }: Story) =>
  loadInventory(
    shop.database,
    { name: 'golden', kind: 'import' },
    { rows, names: () => ({ places, networks }) },
  )

export async function geography(story: Story): Promise<void> {
  await fill(story)
  const asked = { provider: 'gateway', pool: 'residential' }
  const english = { language: 'en' } as const
  await story.ask('proxy_countries', 'success', { input: asked })
  await story.ask('proxy_countries', 'success-in-english', { ...english, input: asked })
  await story.ask('proxy_countries', 'success-an-empty-pool', { input: { ...asked, pool: 'mobile' } })
  const us = { ...asked, countries: ['us'] }
  const two = { ...asked, countries: ['US', 'de'] }
  await story.ask('proxy_states', 'success', { ...english, input: us })
  await story.ask('proxy_states', 'success-of-two-countries', { input: two })
  await story.ask('proxy_cities', 'success', { ...english, input: { ...us, states: null } })
  await story.ask('proxy_cities', 'success-of-one-state', { input: { ...two, states: ['us_ca'] } })
  await story.ask('proxy_cities', 'success-of-a-country-without-states', {
    input: { ...asked, countries: ['sg'] },
  })
  await story.ask('proxy_asns', 'success', { input: two })
  await story.ask('proxy_asns', 'success-of-one-city', {
    input: { ...us, states: ['us_ca'], cities: ['us_ca_fresno'] },
  })
  await story.ask('proxy_zipcodes', 'success', { ...english, input: two })
  await story.ask('proxy_zipcodes', 'success-of-one-state', { input: { ...us, states: ['us_ny'] } })
  const calls = ['proxy_states', 'proxy_cities', 'proxy_asns', 'proxy_zipcodes'] as const
  for (const call of calls) {
    await story.ask(call, 'success-of-no-country', { input: { ...asked, countries: [] } })
    await story.ask(call, 'invalid-pool', {
      ends: { status: 422, code: 'invalid_pool' },
      input: { ...us, pool: 'satellite' },
    })
    await story.ask(call, 'unknown-provider', {
      ends: 'unknown_provider',
      ...english,
      input: { ...us, provider: 'acme' },
    })
  }
  await story.ask('proxy_countries', 'unknown-provider', {
    ends: 'unknown_provider',
    input: { ...asked, provider: 'acme' },
  })
}

/** A customer who has bought residential traffic, and whose datacenter traffic is spent. */
async function buyer(story: Story, name: string): Promise<Customer> {
  const { shop } = story
  const customer = await story.customer(name)
  await shop.buy(customer, { pool: 'residential', gb: 5 })
  await emptyPool(story, name, 'datacenter')
  return customer
}

async function emptyPool({ shop }: Story, name: string, pool: Pool): Promise<void> {
  const { db } = shop.database
  const account = await accountCalled(db, name)
  const key = { accountId: account?.id ?? 0n, pool }
  const { id } = await ensureAccess(db, shop.services.secrets, key)
  await openMeter(db, { accessId: id, ...key })
}

export async function lines(story: Story): Promise<void> {
  await fill(story)
  await buyer(story, 'anna_smith')
  const as = 'anna_smith'
  const input = (given: object = {}) => ({
    anonymous: 'true',
    type: 'rotating',
    protocol: 'https',
    format: 'login:password:hostname:port',
    quantity: 2,
    sessionttl: 0,
    pool: 'residential',
    countries: null,
    cities: null,
    states: null,
    excluded_asns: null,
    included_asns: null,
    zipcodes: null,
    region: 'eur',
    ...given,
  })
  const get = (name: string, given: object = {}, asked: object = {}) =>
    story.ask('get_proxy', name, { as, input: input(given), ...asked })
  await get(
    'success',
    {},
    {
      learn: { 'login of anna_smith': /^(tp\w+)[-:]/m, 'password of anna_smith': /^[^:]+:(\w+):/m },
    },
  )
  await get('success-login-password-at-host', { format: 'login:password@hostname:port', type: 'sticky' })
  await get('success-host-at-login-password', { format: 'hostname:port@login:password', type: 'dynamic' })
  await get('success-host-login-password', { format: 'hostname:port:login:password', region: 'usa' })
  await get('success-slots', { format: 'hostname:port', type: 'sticky', sessionttl: 30, quantity: 3 })
  await get('success-one-line-when-blank', { quantity: '', sessionttl: null, region: null })
  await get('success-fully-targeted', {
    anonymous: false,
    type: 'sticky',
    sessionttl: '30',
    quantity: 1,
    countries: ['us'],
    states: ['us_ca'],
    cities: ['us_ca_fresno'],
    zipcodes: ['93701'],
    included_asns: [7018],
  })
  await get('success-excluded-networks', {
    countries: ['us', 'de'],
    excluded_asns: ['AS7018', 3320],
    quantity: 1,
  })
  const damage = (sealed: Buffer) =>
    story.shop.database.db.updateTable('access').set({ password_sealed: sealed }).execute()
  const { password_sealed: whole } = await story.shop.database.db
    .selectFrom('access')
    .select('password_sealed')
    .where('pool', '=', 'residential')
    .executeTakeFirstOrThrow()
  await damage(Buffer.from('damaged'))
  await get('proxy-password-unreadable', { quantity: 1 }, { ends: 'proxy_password_unreadable' })
  await damage(whole)
  await get('no-subuser', { pool: 'mobile' }, { ends: 'no_subuser' })
  await get('no-traffic', { pool: 'datacenter' }, { ends: 'no_traffic', language: 'en' })
  await get('invalid-quantity', { quantity: 10_001 }, { ends: 'invalid_quantity' })
  await get('invalid-sessionttl', { sessionttl: '-1' }, { ends: 'invalid_sessionttl' })
  await get('invalid-anonymous', { anonymous: 'perhaps' }, { ends: 'invalid_anonymous' })
  await get(
    'unknown-location',
    { countries: ['us', 'zz'], cities: ['us_nowhere'], included_asns: ['AS0'] },
    {
      ends: 'unknown_location',
    },
  )
  await get(
    'contradictory-targeting',
    { included_asns: [7018], excluded_asns: [7018], countries: ['us'] },
    {
      ends: 'contradictory_targeting',
    },
  )
  await get('too-many-slots', { format: 'hostname:port', quantity: 101 }, { ends: 'too_many_slots' })
  await get('invalid-pool', { pool: 'satellite' }, { ends: { status: 422, code: 'invalid_pool' } })
  await get('invalid-format', { format: 'login' }, { ends: { status: 422, code: 'invalid_format' } })
  await get('invalid-region', { region: 'mars' }, { ends: { status: 422, code: 'invalid_region' } })
}

export async function access(story: Story): Promise<void> {
  await fill(story)
  await buyer(story, 'anna_smith')
  await buyer(story, 'boris_ivanov')
  const as = 'anna_smith'
  const pool = 'residential'
  await story.ask('reset_password', 'success', {
    as,
    input: { pool },
    learn: { 'new proxy password': /"password":"(\w{16})"/ },
  })
  await story.ask('reset_password', 'no-subuser', { ends: 'no_subuser', as, input: { pool: 'mobile' } })
  await story.ask('reset_password', 'invalid-pool', {
    ends: { status: 422, code: 'invalid_pool' },
    as,
    input: { pool: 'satellite' },
  })

  const add = (name: string, ip: string, asked: object = {}) =>
    story.ask('add_ip_to_whitelist', name, { as, input: { ip, pool }, ...asked })
  await add('success', claimed)
  await add('success-from-there', proven, { from: proven })
  await add('invalid-ip', '45.45.0.256', { ends: 'invalid_ip' })
  await add('invalid-ip-private', '192.168.1.1', { ends: 'invalid_ip' })
  await add('invalid-ip-version-six', '2001:db8::1', { ends: 'invalid_ip', language: 'en' })
  await add('ip-taken-by-another-customer', proven, { ends: 'ip_taken', as: 'boris_ivanov' })
  await add('no-pool-access', claimed, { ends: 'no_pool_access', input: { ip: claimed, pool: 'mobile' } })
  await probe(story, 'boris_ivanov')
  await add('too-many-attempts', proven, { ends: 'too_many_attempts', as: 'boris_ivanov' })
  await story.ask('get_whitelist_ips', 'success', { as, input: { pool } })
  await story.ask('get_whitelist_ips', 'invalid-pool', {
    ends: { status: 422, code: 'invalid_pool' },
    as,
    input: { pool: 'satellite' },
  })
  const user = { ip: '45.45.0.10', pool, proxy_user: 1 }
  await add('user-not-found', claimed, { input: user, ends: 'user_not_found' })
  const anna = story.shop.client(story.value(`token of ${as}`))
  await anna('create_proxy_user', { pool, label: 'Client' })
  await add('success-of-a-proxy-user', claimed, { input: user })
  await add('ip-listed', claimed, { input: { ...user, ip: claimed }, ends: 'ip_listed' })
  await tellEntries(story, as)
  await fillWhitelist(story, as)
  await add('whitelist-full', '45.45.1.200', { ends: 'whitelist_full' })
  const remove = { as, input: { ip: claimed, pool } }
  await story.ask('remove_ip_from_whitelist', 'success', remove)
  await story.ask('remove_ip_from_whitelist', 'success-not-there-any-more', remove)
  await story.ask('remove_ip_from_whitelist', 'invalid-ip', {
    ends: 'invalid_ip',
    as,
    input: { ip: 'localhost', pool },
  })
}

const claimed = '45.45.0.7'
const proven = '45.45.0.8'
const lost = '45.45.0.9'

/** Nineteen more attempts with another customer's address: the day's twenty are used up. */
async function probe(story: Story, as: string): Promise<void> {
  const call = story.shop.client(story.value(`token of ${as}`))
  for (let time = 0; time < 19; time++)
    await refusalOf(call('add_ip_to_whitelist', { ip: proven, pool: 'residential' }))
}

/** Lists the whitelist after another customer has proven one of its addresses. */
async function tellEntries(story: Story, as: string): Promise<void> {
  const pool = 'residential'
  const { token } = await buyer(story, 'clara_weber')
  const call = story.shop.client(story.value(`token of ${as}`))
  await call('add_ip_to_whitelist', { ip: lost, pool })
  await story.shop.from(lost, 'ru', token)('add_ip_to_whitelist', { ip: lost, pool })
  await story.ask('get_whitelist_entries', 'success', { as, input: { pool } })
  await story.ask('get_whitelist_entries', 'invalid-pool', {
    ends: { status: 422, code: 'invalid_pool' },
    as,
    input: { pool: 'satellite' },
  })
}

/** Adds ninety-eight addresses, which fills the whitelist. */
async function fillWhitelist(story: Story, as: string): Promise<void> {
  const call = story.shop.client(story.value(`token of ${as}`))
  for (let last = 1; last < 99; last++)
    await call('add_ip_to_whitelist', { ip: `45.45.1.${last}`, pool: 'residential' })
}

export async function statistics(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  await seedDemoExits(db)
  await buyer(story, 'anna_smith')
  const account = await accountCalled(db, 'anna_smith')
  const key = { accountId: account?.id ?? 0n, pool: 'residential' } as const
  const { id } = await ensureAccess(db, shop.services.secrets, key)
  const holder = { gateway: 'golden', boot: 'first' }
  const day = 24 * 60 * 60_000
  const used = [
    { daysAgo: 20, bytes: 1_234_567_890n },
    { daysAgo: 3, bytes: 12_500_000n },
    { daysAgo: 0, bytes: 5_300_000n },
  ]
  for (const [index, { daysAgo, bytes }] of used.entries()) {
    const { lease: leased } = await lease(db, holder, { access: id, want_bytes: bytes })
    const line = { lease: leased, access: id, charged_bytes: bytes, requests: index + 1, close: true }
    const at = shop.clock.now.getTime() - daysAgo * day
    await settle(db, [{ ...holder, sequence: index + 1, at_ms: at, lines: [line] }])
  }
  const as = 'anna_smith'
  const ask = (name: string, input: object, asked: object = {}) =>
    story.ask('legacy_get_statistic', name, {
      as,
      input: { period: 'week', pool: 'residential', ...input },
      ...asked,
    })
  await ask('success-week', {})
  await ask('success-month', { period: 'month' })
  await ask('success-a-pool-never-used', { pool: 'mobile' })
  await ask('invalid-period', { period: 'year' }, { ends: { status: 422, code: 'invalid_period' } })
  await ask('invalid-pool', { pool: 'satellite' }, { ends: { status: 422, code: 'invalid_pool' } })
  await usage(story)
}

/** The calls for usage of any period, for the hosts that are kept, and for the bill. */
async function usage(story: Story): Promise<void> {
  const as = 'anna_smith'
  const daysAgo = (days: number) =>
    new Date(story.shop.clock.now.getTime() - days * 24 * 60 * 60_000).toISOString().slice(0, 10)
  const week = { from: daysAgo(6), to: daysAgo(0), by: 'day' }
  const ask = (name: string, input: object, asked: object = {}) =>
    story.ask('get_usage', name, { as, input: { ...week, ...input }, ...asked })
  await ask('success-by-day', {})
  await ask('success-by-hour', { by: 'hour', pool: 'residential' })
  await ask('success-by-host', { by: 'host' })
  await ask('success-by-user', { by: 'user' })
  await ask('success-of-one-country', { only: { part: 'country', key: 'us' } })
  await ask('usage-period', { from: daysAgo(0), to: daysAgo(1) }, { ends: 'usage_period' })
  await ask('usage-period-a-word', { from: 'yesterday' }, { ends: 'usage_period' })
  await ask('usage-period-too-long', { from: '1926-01-01' }, { ends: 'usage_period_too_long' })
  await ask(
    'usage-period-too-long-by-hour',
    { from: daysAgo(31), by: 'hour' },
    { ends: 'usage_period_too_long' },
  )
  await ask(
    'usage-filter-by-day',
    { by: 'host', only: { part: 'host', key: 'a' } },
    { ends: 'usage_filter_by_day' },
  )
  await story.ask('get_host_privacy', 'success', { as })
  await story.ask('set_host_privacy', 'success', { as, input: { withholds_hosts: true } })
  await story.ask('set_host_privacy', 'success-again', { as, input: { withholds_hosts: false } })
  await story.ask('get_bill', 'success-no-hour-is-over', { as, input: {} })
  await story.ask('bill_roots', 'success-no-day-yet')
  await story.ask('get_bill_proof', 'bill-proof-not-found', { as, ends: 'bill_proof_not_found' })
  const { db } = story.shop.database
  await sql`
    with one as (
      insert into bill_line (account_id, line, hour, pool, credited_bytes, charged_bytes, micros_per_gb, requests, balance_bytes)
      select id, 1, '2026-05-17T10:00Z', 'residential', 1000, 10, 2500000, 1, 990 from account where username = ${as}
      returning account_id, pool, hour
    )
    insert into bill_pool (account_id, pool, hour, hour_bytes, balance_bytes) select *, 10, 990 from one`.execute(
    db,
  )
  let filled = 0
  await makeBillRoot(db, story.shop.clock.now, (bytes) => Buffer.alloc(bytes, filled++))
  await story.ask('get_bill', 'success', { as, input: {} })
  await story.ask('get_bill_proof', 'success', { as })
  await story.ask('get_bill_proof', 'bill-proof-not-found-of-another-day', {
    as,
    ends: 'bill_proof_not_found',
    input: { day: '2026-05-16' },
  })
  await story.ask('bill_roots', 'success')
}

/** The calls about customers' requests. */
export async function requests(story: Story): Promise<void> {
  const { shop } = story
  const { db } = shop.database
  const as = 'anna_smith'
  await buyer(story, as)
  await buyer(story, 'bob_brown')
  const account = await accountCalled(db, as)
  const key = { accountId: account?.id ?? 0n, pool: 'residential' } as const
  const { id: access } = await ensureAccess(db, shop.services.secrets, key)
  const at = shop.clock.now.getTime() - 65_000
  const done: RequestRecord = {
    id: '6f1f7f0e-5d0c-4f6e-9b4f-0c1f6a3b9d10',
    access,
    at_ms: at,
    protocol: 'connect',
    target: 'example.com:443',
    settings: 'cc-us-city-us_ca_los_angeles-sid-8f3a2c',
    multiplier: 2,
    country: 'us',
    exit: 1n,
    authenticated_ms: 1,
    exit_chosen_ms: 2,
    connected_ms: 187,
    first_byte_ms: 342,
    ended_ms: 1210,
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    exit_status: null,
    exit_word: null,
    up_bytes: 1842n,
    down_bytes: 90_112n,
    charged_up_bytes: 3684n,
    charged_down_bytes: 180_224n,
  }
  const failed: RequestRecord = {
    ...done,
    id: 'b2a3c5c0-0f53-4f55-8a5e-50d0a4a9f0a1',
    connected_ms: null,
    first_byte_ms: null,
    outcome: 'refused',
    status: 502,
    code: 'exit_failed',
    sentence: 'the exit failed',
    exit_status: 407,
    exit_word: 'TRAFFIC_EXHAUSTED',
    up_bytes: 0n,
    down_bytes: 0n,
    charged_up_bytes: 0n,
    charged_down_bytes: 0n,
  }
  const unkept = [{ access, minute_ms: Math.floor(at / 60_000) * 60_000, requests: 12 }]
  await keepRequests(db, batchOf([done, failed], { unkept }), { now: shop.clock.now })
  const ask = (name: string, asked: object) => story.ask('explain_request', name, { as, ...asked })
  const list = (name: string, input: Record<string, unknown>, asked: object = {}) =>
    story.ask('get_requests', name, { as, input, ...asked })
  await list('success', {})
  await list('success-refused', {
    outcome: 'refused',
    pool: 'residential',
    code: 'exit_failed',
    country: 'us',
  })
  await list('success-of-a-user', { user: 'account', code: 'exit_failed' })
  await list('success-none', {
    host: 'example.org',
    from: '2026-05-17T00:00:00Z',
    to: '2026-05-18T00:00:00Z',
  })
  await list('invalid-after', { after: 'the end' }, { ends: { status: 422, code: 'invalid_after' } })
  await list('invalid-country', { country: 'USA' }, { ends: { status: 422, code: 'invalid_country' } })
  await story.ask('get_overview', 'success', { as })
  await story.ask('get_activity', 'success', { as, input: { pool: 'residential' } })
  await story.ask('get_last_hour', 'success', { as, input: { pool: 'residential', countries: ['us'] } })
  await story.ask('get_last_hour', 'success-anywhere', { as, input: { pool: 'residential', countries: [] } })
  await ask('success', { input: { id: done.id } })
  await ask('success-of-one-that-failed', { input: { id: failed.id } })
  await ask('request-not-found', {
    ends: 'request_not_found',
    input: { id: '00000000-0000-4000-8000-000000000000' },
  })
  await ask('request-not-found-no-id-at-all', {
    ends: 'request_not_found',
    language: 'en',
    input: { id: 'yesterday' },
  })
  await ask('request-not-found-of-another-customer', {
    ends: 'request_not_found',
    as: 'bob_brown',
    input: { id: done.id },
  })
}
