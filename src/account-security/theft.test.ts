/** A stolen session, two hours old, of an owner who was proved at the sign-in only. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { Input } from '#contract/contract'
import { type App, app, type Customer, refusalOf } from '#test/app'

let shop: App
const start = new Date()
beforeAll(async () => {
  shop = await app()
})
afterEach(() => void (shop.clock.now = start))
afterAll(() => shop.close())

const hours = (count: number) => {
  shop.clock.now = new Date(start.getTime() + count * 3_600_000)
}
const settings: Input<'save_preset'>['settings'] = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 1,
  sessionttl: 0,
}
async function owner(): Promise<Customer & { number: number }> {
  const customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
  const { number } = await customer.call('save_preset', { pool: 'residential', label: 'list', settings })
  return { ...customer, number }
}
const prove = ({ call, password }: Customer) => call('prove_owner', { proof: { kind: 'password', password } })
const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code
const lettersTo = async ({ email }: Customer) => {
  const { rows } = await sql<{ event: string }>`
    select data ->> 'event' as event from mail where recipient = ${email} and template = 'security_changed'
    order by 1`.execute(shop.database.db)
  return rows.map(({ event }) => event)
}
const fetchLink = async (path: string) => (await fetch(`${shop.origin}${path}`)).status

describe('a stolen session', () => {
  it('creates nothing that outlives it, and cannot switch letters off', async () => {
    const victim = await owner()
    hours(2)
    const { call } = victim
    expect(await codeOf(call('renew_preset_link', { number: victim.number }))).toBe('proof_needed')
    expect(await codeOf(call('reseller_token', {}))).toBe('proof_needed')
    expect(await codeOf(call('rotate_reseller_token', {}))).toBe('proof_needed')
    expect(await codeOf(call('set_sign_in_letters', { on: false }))).toBe('proof_needed')
    expect(await call('security', {})).toMatchObject({ api_token: null, sign_in_letters: true })
    expect((await call('get_presets', {})).presets[0]?.link).toBeNull()
    expect(await lettersTo(victim)).toEqual([])
  })

  it('does not show an existing token; revoking it and switching letters on need no proof', async () => {
    const victim = await owner()
    const token = await victim.call('reseller_token', {})
    await victim.call('set_sign_in_letters', { on: false })
    hours(2)
    expect(await codeOf(victim.call('reseller_token', {}))).toBe('proof_needed')
    // A program authenticates by its token, and may replace it without a proof.
    const program = shop.client(token)
    expect(await program('reseller_token', {})).toBe(token)
    const next = await program('rotate_reseller_token', {})
    await victim.call('set_sign_in_letters', { on: true })
    await victim.call('revoke_reseller_token', {})
    expect(await codeOf(shop.client(next)('legacy_profile', {}))).toBe('unauthorized')
  })
})

it('each change is reported to the owner by letter, also a token that replaces itself', async () => {
  const victim = await owner()
  hours(2)
  await prove(victim)
  await victim.call('renew_preset_link', { number: victim.number })
  const token = await victim.call('reseller_token', {})
  await victim.call('reseller_token', {})
  await shop.client(token)('rotate_reseller_token', {})
  await victim.call('set_sign_in_letters', { on: false })
  await victim.call('set_sign_in_letters', { on: false })
  expect(await lettersTo(victim)).toEqual([
    'api_token_made',
    'api_token_renewed',
    'preset_link_made',
    'sign_in_letters_off',
  ])
})

describe('a new password', () => {
  const withPrograms = async () => {
    const victim = await owner()
    const token = await victim.call('reseller_token', {})
    const { path } = await victim.call('renew_preset_link', { number: victim.number })
    return { victim, path, program: shop.client(token) }
  }

  it('revokes the API token and secret links if the owner asks for that', async () => {
    const { victim, path, program } = await withPrograms()
    const change = { old_password: victim.password, new_password: 'another password 1' }
    await victim.call('change_account_password', { ...change, end_programs: true })
    expect(await codeOf(program('legacy_profile', {}))).toBe('unauthorized')
    expect(await fetchLink(path)).toBe(404)
    expect(await lettersTo(victim)).toContain('password_changed_programs_ended')
  })

  it('otherwise leaves the API token and secret links valid, and the letter says so', async () => {
    const { victim, path, program } = await withPrograms()
    const change = { old_password: victim.password, new_password: 'another password 1' }
    await victim.call('change_account_password', change)
    expect(await program('is_password_exists', {})).toBe(true)
    expect(await fetchLink(path)).toBe(200)
    expect(await lettersTo(victim)).toContain('password_changed')
  })
})

it('one account cannot fill the queue of letters, and letters that people wait for come first', async () => {
  const flooding = await shop.customer()
  const { call } = flooding
  const flip = async () => {
    await call('set_sign_in_letters', { on: true })
    return codeOf(call('set_sign_in_letters', { on: false }))
  }
  const ends: string[] = []
  while (ends.length < 40) ends.push(await flip().catch(() => 'done'))
  expect(ends.filter((end) => end === 'too_many_attempts')).toHaveLength(10)
  // Nobody has confirmed the address: it may be a stranger's.
  expect(await lettersTo(flooding)).toHaveLength(5)
  const { rows } = await sql<{ template: string; priority: number }>`
    select m.template, j.priority from graphile_worker._private_jobs j join mail m on m.id::text = j.payload ->> 'mail_id'
    where m.recipient = ${flooding.email}`.execute(shop.database.db)
  const priorities = Map.groupBy(rows, ({ template }) => template)
  expect(priorities.get('confirm_email')?.map(({ priority }) => priority)).toEqual([-1])
  expect(priorities.get('security_changed')?.map(({ priority }) => priority)).toEqual([0, 0, 0, 0, 0])
})
