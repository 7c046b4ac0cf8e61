import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { may, roles } from '#contract/desk/roles'
import { sentence } from '#contract/refusals'
import { hiddenSecret, viewHeader } from '#contract/view'
import { type Name, pathOf, wire } from '#contract/wire'
import { seedDemoInventory } from '#inventory'
import { blockStaff, forgetEndedViews, setStaffRole } from '#staff'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { openLink, openView, ownOrigin } from '#test/customer.view'
import { type Desk, desk, type StaffMember } from '#test/desk'

let shop: App
let office: Desk
let support: StaffMember
let customer: Customer
let customerId: string

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  await seedDemoInventory(shop.database)
  office = await desk(shop)
  support = await office.staff('support')
  customer = await shop.customer('watched')
  customerId = await accountIdOf(customer)
  await shop.buy(customer, { pool: 'residential', gb: 10 })
})
afterAll(async () => {
  await office.close()
  await shop.close()
})
// Each code of an authenticator app moves the clock; the member stays signed in.
beforeEach(async () => void (await support.call('session', {})))

const reason = 'the page looks empty to them'
const linkOf = async ({ call }: Pick<StaffMember, 'call'> = support, id = customerId) =>
  (await call('see_as_customer', { id, reason })).url
const viewBy = async (member: Pick<StaffMember, 'call'> = support, id = customerId) =>
  openView(shop, await linkOf(member, id))
const later = (ms: number) => {
  shop.clock.now = new Date(shop.clock.now.getTime() + ms)
}
const codeOf = async (answer: Response) => ((await answer.json()) as { code?: string }).code
const names = Object.keys(wire) as Name[]

/** Sends a request as a page in a view does, with these headers. */
function send(
  name: Name,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Response> {
  const { provider, ...fields } = input
  const path = `${shop.origin}${pathOf(name, provider as string | undefined)}`
  if (wire[name].method === 'POST')
    return fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ownOrigin, ...headers },
      body: JSON.stringify(fields),
    })
  const query = new URLSearchParams(fields as Record<string, string>)
  return fetch(`${path}?${query.toString()}`, { headers })
}

const lines = {
  anonymous: true,
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 30,
  sessionttl: 10,
  pool: 'residential',
}

/** A digest of all rows of each table. */
async function everything(): Promise<Record<string, string>> {
  const { rows: tables } = await shop.database.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const digests = await Promise.all(
    tables.map(async ({ name }): Promise<[string, string]> => {
      const { rows } = await shop.database.pool.query<{ digest: string }>(
        `select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${name} t`,
      )
      return [name, rows[0]?.digest ?? '']
    }),
  )
  return Object.fromEntries(digests)
}

describe('every call of the contract', () => {
  it('does not reveal to staff the requests or the usage of a host that they name', async () => {
    const { headers } = await viewBy()
    const today = shop.clock.now.toISOString().slice(0, 10)
    const asked = { from: today, to: today, by: 'day' }
    const hosted = { ...asked, only: { part: 'host', key: 'target.example' } }
    const refused = await send('get_usage', hosted, headers)
    expect([refused.status, await codeOf(refused)]).toEqual([422, 'invalid_only'])
    const ofCountry = { ...asked, only: { part: 'country', key: 'us' } }
    expect((await send('get_usage', ofCountry, headers)).status).toBe(200)
    const own = { authorization: `Bearer ${customer.token}` }
    expect((await send('get_usage', hosted, own)).status).toBe(200)
  })

  it('changes nothing in a view, and shows no secret', async () => {
    const { call } = customer
    const url = await call('create_invoice_web', { payment_method: 'sandbox', amount: 3, pool: 'mobile' })
    const [profile] = await call('legacy_profile', {})
    const apiToken = await call('reseller_token', {})
    await call('add_ip_to_whitelist', { pool: 'residential', ip: '8.8.4.4' })
    const proxyUser = await call('create_proxy_user', {
      pool: 'residential',
      label: 'A colleague',
      metadata: { contact: 'Anna Smith, +49 151 000' },
    })
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      'select id from access where account_id = $1',
      [customerId],
    )
    const owner = {
      accessId: rows[0]?.id ?? 0n,
      accountId: BigInt(customerId),
      pool: 'residential' as const,
    }
    const refused = connectionOf(owner, shop.clock.now, {
      ...refusedWith('exit_failed'),
      sentence: 'no way to target.example',
      exit_word: 'target.example is closed',
    })
    await keepConnections(shop.database.db, [refused], shop.clock.now)
    await shop.database.pool.query('insert into referrer (account_id) values ($1)', [customerId])
    await shop.database.pool.query(
      `insert into referral_payout (account_id, number, asked_micros, micros, network, address, state, asked_at, ended_at)
       values ($1, 1, 1, 1, 'usdt_trc20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'cancelled', now(), now())`,
      [customerId],
    )
    await shop.database.pool.query(
      `insert into team_invitation (team_id, email, email_key, role, token_sha256, sent_at, expires_at)
       values ($1, 'a@example.com', 'a@example.com', 'viewer', sha256('invitation'), now(), now() + interval '7 days')`,
      [customerId],
    )
    const secrets = {
      'the proxy password': profile?.residential.password,
      'the password of a proxy user': proxyUser.password,
      'the metadata of a proxy user': 'Anna Smith, +49 151 000',
      'the linking code': profile?.tgcode,
      'the API token': apiToken,
      'the session': customer.token,
      'the payment page': url,
      'the target': 'target.example',
      'the wallet': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    }
    const today = shop.clock.now.toISOString().slice(0, 10)
    const inputs: Partial<Record<Name, Record<string, unknown>>> = {
      calculate: { amounts: [5] },
      invitation: { invitation_token: 'invitation' },
      invoice: { number: url.split('/').at(-1) ?? '' },
      invoice_documents: { number: url.split('/').at(-1) ?? '' },
      invoice_document: { number: url.split('/').at(-1) ?? '', id: '1' },
      get_proxy: lines,
      proxy_countries: { provider: 'gateway', pool: 'residential' },
      proxy_states: { provider: 'gateway', pool: 'residential', countries: ['us'] },
      proxy_cities: { provider: 'gateway', pool: 'residential', countries: ['us'] },
      proxy_asns: { provider: 'gateway', pool: 'residential', countries: ['us'] },
      proxy_zipcodes: { provider: 'gateway', pool: 'residential', countries: ['us'] },
      get_whitelist_ips: { pool: 'residential' },
      get_whitelist_entries: { pool: 'residential' },
      get_pool_limits: { pool: 'residential' },
      get_activity: {},
      get_proxy_users: { pool: 'residential', passwords: true },
      get_proxy_user: { pool: 'residential', number: proxyUser.number },
      proxy_users_lines: { ...lines, pool: 'residential', users: [{ number: proxyUser.number }] },
      proxy_users_usage: { pool: 'residential', from: today, to: today },
      get_last_hour: { pool: 'residential', countries: [] },
      proxy_user_usage: { pool: 'residential', number: proxyUser.number, days: 7 },
      legacy_get_statistic: { pool: 'residential', period: 'week' },
      explain_request: { id: refused.id },
      quote_exchange: { pool: 'residential', to_pool: 'mobile', megabytes: 100 },
      get_usage: { from: today, to: today, by: 'host' },
      referral_earnings: { days: 30 },
      get_banner_blob: { id: '1' },
      legal_page: { page: 'terms' },
    }
    // What a customer gets holds each of the secrets, so that the test can fail.
    const own = await Promise.all(
      (
        [
          'legacy_profile',
          'get_proxy',
          'get_proxy_users',
          'invoices',
          'explain_request',
          'get_payouts',
        ] as const
      ).map(async (name) => {
        const bearer = { authorization: `Bearer ${customer.token}` }
        return (await send(name, inputs[name] ?? {}, bearer)).text()
      }),
    )
    for (const [what, secret] of Object.entries(secrets))
      if (what !== 'the API token' && what !== 'the session')
        expect(own.join('\n'), what).toContain(secret ?? 'nothing')

    // This shop has no pictures, documents or closed days of bills.
    const notThere: ReadonlySet<string> = new Set(['get_banner_blob', 'get_bill_proof', 'invoice_document'])
    const { headers } = await viewBy()
    const before = await everything()
    for (const name of names) {
      const answer = await send(name, inputs[name] ?? {}, headers)
      const text = await answer.text()
      if (wire[name].effect === 'reads') {
        expect([answer.status, text], name).toEqual([notThere.has(name) ? 404 : 200, text])
        for (const [what, secret] of Object.entries(secrets))
          expect(text, `${name}: ${what}`).not.toContain(secret ?? 'nothing')
      } else {
        expect([answer.status, JSON.parse(text)], name).toMatchObject([403, { code: 'view_read_only' }])
        // The same holds for a complete input, and for a key that was used before.
        const again = await send(name, inputs[name] ?? {}, { ...headers, 'idempotency-key': 'k' })
        expect(await codeOf(again), name).toBe('view_read_only')
      }
      if (name !== 'get_banner_blob' || !answer.ok)
        expect(answer.headers.get('cache-control'), name).toBe('no-store')
      expect(answer.headers.getSetCookie(), name).toEqual([])
    }
    expect(await everything()).toEqual(before)
    expect(names.filter((name) => wire[name].effect !== 'reads').toSorted()).toEqual([
      'accept_invitation',
      'act_on_account',
      'activate_traffic_promocode',
      'add_ip_to_whitelist',
      'add_proxy_user_to_pool',
      'answer_email_change',
      'buy',
      'cancel_email_change',
      'cancel_payout',
      'change_account_password',
      'change_email',
      'change_language',
      'change_member',
      'change_preset',
      'change_proxy_user',
      'confirm_email',
      'confirm_new_email',
      'create_balance_invoice',
      'create_invoice_web',
      'create_proxy_user',
      'create_proxy_users',
      'delete_preset',
      'delete_proxy_user',
      'delete_proxy_users',
      'discount_promocode_info',
      'end_connections',
      'end_sessions',
      'exchange_traffic',
      'export_personal_data',
      'freeze_proxy_user',
      'freeze_proxy_users',
      'give_proxy_user',
      'give_traffic',
      'invite_member',
      'leave_team',
      'new_recovery_codes',
      'passkey_begin',
      'passkey_finish',
      'prove_owner',
      'prove_owner_options',
      'raise_day_cap',
      'referral_payment',
      'remove_ip_from_whitelist',
      'remove_member',
      'remove_passkey',
      'remove_saved_method',
      'remove_totp',
      'renew_preset_link',
      'renew_proxy_user_password',
      'request_erasure',
      'request_password_reset',
      'request_payout',
      'reseller_token',
      'resend_confirmation',
      'resend_invitation',
      'reset_account_password',
      'reset_password',
      'revoke_invitation',
      'revoke_preset_link',
      'revoke_reseller_token',
      'rotate_reseller_token',
      'save_preset',
      'set_buyer_details',
      'set_display_currency',
      'set_host_privacy',
      'set_notices',
      'set_pool_limits',
      'set_proxy_login_prefix',
      'set_receipt_email',
      'set_sign_in_letters',
      'set_top_up',
      'signin',
      'signin_passkey',
      'signin_passkey_options',
      'signin_second_step',
      'signout',
      'signup',
      'switch_off_top_up',
      'take_proxy_user',
      'telegram_code_signin',
      'top_up_consent',
      'totp_begin',
      'totp_finish',
      'try_line',
      'undo_email_change',
      'withdraw_erasure',
    ])
  })

  it('refuses in the language of the page', async () => {
    const { headers } = await viewBy()
    for (const language of ['ru', 'en'] as const) {
      const answer = await send('reset_password', {}, { ...headers, 'accept-language': language })
      expect(((await answer.json()) as { message: string }).message).toBe(
        sentence('view_read_only', language),
      )
    }
  })

  it('answers as for the customer: lines with masked passwords, and no line whose settings would be stored', async () => {
    const { call } = await viewBy()
    const [own, seen] = await Promise.all([customer.call('legacy_profile', {}), call('legacy_profile', {})])
    expect(seen[0]).toMatchObject({
      username: 'watched',
      residential: { balance: own[0]?.residential.balance },
    })
    const made = await call('get_proxy', lines as never)
    expect(made.split('\n')).toHaveLength(30)
    for (const line of made.split('\n')) expect(line).toContain(`:${hiddenSecret}@`)
    const us = { provider: 'gateway', pool: 'residential', countries: ['us'] } as const
    const zips = await call('proxy_zipcodes', us as never)
    const stored = [
      { ...lines, format: 'hostname:port' },
      { ...lines, countries: ['us'], zipcodes: zips.slice(0, 60).map(({ code }) => code) },
    ]
    for (const input of stored)
      expect((await refusalOf(call('get_proxy', input as never))).code).toBe('view_read_only')
  })

  it('does not change the customer’s last use and sign-ins', async () => {
    const seen = async () => {
      const { last_seen_at: at, sessions } = await support.call('customer', { id: customerId })
      return { at, sessions }
    }
    // After this time a call of the customer's own would extend the session.
    later(16 * 60_000)
    const before = await seen()
    await (await viewBy()).call('legacy_profile', {})
    expect(await seen()).toEqual(before)
  })
})

describe('a link', () => {
  it('opens one view, however many ask at once, and only within a minute', async () => {
    const url = await linkOf()
    const answers = await Promise.all(Array.from({ length: 6 }, () => openLink(shop, url)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 403, 403, 403, 403, 403,
    ])
    expect(await codeOf(await openLink(shop, url))).toBe('view_link_invalid')
    const late = await linkOf()
    later(60_000)
    expect(await codeOf(await openLink(shop, late))).toBe('view_link_invalid')
  })

  it('is not accepted as a cookie, nor the cookie as a link', async () => {
    const url = await linkOf()
    const { headers, id } = await viewBy()
    const token = new URL(url).hash.slice(1)
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      'select max(id) - 1 as id from customer_view',
    )
    const asCookie = { cookie: `turnpike-view=${token}`, [viewHeader]: String(rows[0]?.id) }
    expect(await codeOf(await send('legacy_profile', {}, asCookie))).toBe('view_ended')
    const cookie = (headers['cookie'] ?? '').split('=')[1]
    expect(await codeOf(await openLink(shop, `http://localhost/#${cookie}`))).toBe('view_link_invalid')
    expect(await codeOf(await openLink(shop, `http://localhost/#${id}`))).toBe('view_link_invalid')
  })

  it('opens nothing after the member has signed out, is blocked, or has lost the permission', async () => {
    const system = { kind: 'system', staffId: null, name: 'root', ip: null, requestId: null } as const
    const { db } = shop.database
    const ways: ((member: StaffMember) => Promise<unknown>)[] = [
      ({ call }) => call('sign_out', {}),
      ({ id }) => blockStaff(db, system, id, shop.clock.now),
      ({ id }) => setStaffRole(db, system, { staffId: id, role: 'accountant' }, shop.clock.now),
    ]
    for (const way of ways) {
      const member = await office.staff('support')
      const { call } = await viewBy(member)
      const unused = await linkOf(member)
      await call('legacy_profile', {})
      await way(member)
      expect((await refusalOf(call('legacy_profile', {}))).code).toBe('view_ended')
      expect(await codeOf(await openLink(shop, unused))).toBe('view_link_invalid')
    }
  })

  it('is made for members who may see contacts and the content of the account, and for an account that exists', async () => {
    const lookers = roles.filter((role) => may(role, 'customers.see_as'))
    expect(lookers).toEqual(['owner', 'operator', 'support'])
    const shown = ['customers.read', 'customers.contacts', 'invoices.read', 'connections.read'] as const
    for (const role of lookers)
      for (const permission of shown) expect(may(role, permission), `${role} ${permission}`).toBe(true)
    expect((await refusalOf(linkOf(support, '999999'))).code).toBe('customer_not_found')
  })
})

describe('a view', () => {
  it('ends after a quarter of an hour, with the desk’s idle time, and by its button', async () => {
    const first = await viewBy()
    later(14 * 60_000)
    await first.call('legacy_profile', {})
    later(60_000)
    expect((await refusalOf(first.call('legacy_profile', {}))).code).toBe('view_ended')

    // Using a view does not extend the sign-in at the desk.
    const idle = await office.staff('support')
    later(20 * 60_000)
    const link = await linkOf(idle)
    const second = await openView(shop, link)
    later(14 * 60_000)
    await second.call('legacy_profile', {})
    later(17 * 60_000)
    expect((await idle.browser.fetch('/api/my_sessions')).status).toBe(401)

    support = await office.staff('support')
    const third = await viewBy()
    const ended = await third.end()
    expect([ended.status, ended.headers.getSetCookie()[0]]).toEqual([
      200,
      'turnpike-view=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
    expect((await refusalOf(third.call('legacy_profile', {}))).code).toBe('view_ended')
    expect((await third.end()).status).toBe(200)
  })

  it('ends with the next one of the same sign-in, and is forgotten after its end', async () => {
    const one = await viewBy()
    const two = await viewBy()
    expect((await refusalOf(one.call('legacy_profile', {}))).code).toBe('view_ended')
    await two.call('legacy_profile', {})
    later(16 * 60_000)
    await forgetEndedViews(shop.database.db, shop.clock.now)
    const { rows } = await shop.database.pool.query('select from customer_view')
    expect(rows).toEqual([])
  })

  it('is proved by cookie and header together, and by no customer’s token', async () => {
    const other = await shop.customer()
    const otherView = await viewBy(await office.staff('support'), await accountIdOf(other))
    support = await office.staff('support')
    const { headers } = await viewBy()
    const { cookie = '' } = headers
    const bearer = { authorization: `Bearer ${customer.token}` }
    const wrong: [string, Record<string, string>, string][] = [
      ['the cookie alone', { cookie }, 'unauthorized'],
      ['the header alone', { [viewHeader]: headers[viewHeader] ?? '' }, 'view_ended'],
      ['the view of another member', { cookie, [viewHeader]: otherView.id }, 'view_ended'],
      ['no number', { cookie, [viewHeader]: '1 or 1=1' }, 'view_ended'],
      ['two cookies', { ...headers, cookie: `${cookie}; turnpike-view=${'a'.repeat(43)}` }, 'view_ended'],
      ['a customer’s token instead of the cookie', { ...bearer, [viewHeader]: otherView.id }, 'view_ended'],
    ]
    for (const [what, sent, code] of wrong)
      expect(await codeOf(await send('legacy_profile', {}, sent)), what).toBe(code)
    // A customer who is signed in in the same browser keeps their own session, with all rights.
    const mine = await send('change_language', { code: 'eng' }, { ...bearer, cookie })
    expect(mine.status).toBe(200)
    // With both credentials, the view applies, which has fewer rights.
    const both = await send('legacy_profile', {}, { ...headers, authorization: `Bearer ${other.token}` })
    expect(await both.json()).toMatchObject([
      { user_id: Number(customerId), residential: { password: hiddenSecret } },
    ])
    const change = await send('change_language', { code: 'eng' }, { ...headers, ...bearer })
    expect(await codeOf(change)).toBe('view_read_only')
  })

  it('is opened and ended by pages of the shop only', async () => {
    const url = await linkOf()
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:3001', 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { ...ownOrigin, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const answer = await openLink(shop, url, headers)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    }
    const { setCookie, headers, call } = await openView(shop, url)
    expect(setCookie).toMatch(/^turnpike-view=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const answer = await fetch(`${shop.origin}/api/customer_view/end`, {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
    })
    expect(await codeOf(answer)).toBe('view_wrong_origin')
    await call('legacy_profile', {})
    // A page of another origin may not send this header, so it cannot make the call.
    const preflight = await fetch(`${shop.origin}/api/legacy_profile`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': `authorization, ${viewHeader}`,
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).not.toContain(viewHeader)
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('takes no cookie of the desk, and the desk takes none of a view', async () => {
    const { headers } = await viewBy()
    const token = support.browser.cookie?.split('=')[1] ?? ''
    const desks = { cookie: `turnpike-view=${token}`, [viewHeader]: headers[viewHeader] ?? '' }
    expect(await codeOf(await send('legacy_profile', {}, desks))).toBe('view_ended')
    const thief = office.browser()
    thief.cookie = (headers['cookie'] ?? '').replace('turnpike-view', 'turnpike-desk')
    expect((await thief.call('session', {})).stage).toBe('signed_out')
  })

  it('leaves entries with who and why, and no token', async () => {
    const owner = await office.staff('owner')
    const url = await linkOf(owner)
    const { end, headers } = await openView(shop, url)
    await end()
    const { rows } = await owner.call('audit', { subject_kind: 'customer', subject_id: customerId, limit: 3 })
    expect(rows.map(({ action, reason: why, actor }) => [action, why, actor.name])).toEqual([
      ['end_view', null, owner.name],
      ['open_view', null, owner.name],
      ['see_as_customer', reason, owner.name],
    ])
    for (const secret of [new URL(url).hash.slice(1), (headers['cookie'] ?? '').split('=')[1] ?? ''])
      expect(JSON.stringify(rows)).not.toContain(secret)
    support = await office.staff('support')
  })
})
