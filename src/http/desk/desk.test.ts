import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DeskInput, deskContract } from '#contract/desk/contract'
import { may, type Permission, type Role, roles } from '#contract/desk/roles'
import {
  type AuditedName,
  type DeskName,
  deskPath,
  deskWire,
  fileFormats,
  isPermission,
  mayCall,
} from '#contract/desk/wire'
import { transaction } from '#db'
import { cookieField, tokenInCookies } from '#lib/cookie'
import { giveMoney } from '#referral'
import { accountIdOf, app, type App, type Customer, refusalOf } from '#test/app'
import { Authenticator } from '#test/authenticator'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Browser, desk, deskUrl, type Desk, type StaffMember } from '#test/desk'
import { eraseAsShown } from '#test/erasure'
import { FakeBtcpay } from '#test/processors/btcpay'
import { csvField } from '#lib/csv/print-csv'
import { makeGatewayToken } from '#traffic'
import { cellsOf } from '#test/unzip'
import { planRefund } from '#purchase'

const processor = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember
let customer: Customer
let customerId: string

beforeAll(async () => {
  await processor.start()
  shop = await app({
    // Nothing listens at the seller's address.
    env: {
      DEMO: '0',
      SELLER_API_BASES: 'geonode=http://127.0.0.1:1',
      TELEGRAM_BOT_TOKEN: '1:AAFakeTokenOfATestBot_0123456789abcdef',
    },
    methods: [processor.method()],
  })
  office = await desk(shop)
  owner = await office.staff('owner')
  customer = await shop.customer('someone')
  customerId = await accountIdOf(customer)
  await shop.buy(customer, { pool: 'residential', gb: 10 })
})
afterAll(async () => {
  await office.close()
  await shop.close()
  processor.stop()
})

// Each code of an authenticator app moves the clock; the owner stays signed in.
beforeEach(async () => void (await owner.call('session', {})))

const names = Object.keys(deskWire) as DeskName[]
const send = (browser: Browser, name: DeskName, body: unknown = {}, headers: Record<string, string> = {}) =>
  deskWire[name].method === 'GET'
    ? browser.fetch(deskPath(name), { headers })
    : browser.fetch(deskPath(name), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
const codeOf = async (answer: Response) => ((await answer.json()) as { code?: string }).code

describe('every call', () => {
  it('declares its permission, and changes nothing by GET', () => {
    for (const name of names) {
      const { needs, method, effect } = deskWire[name]
      expect(needs, name).toBeTruthy()
      if (effect !== 'reads') expect(method, name).toBe('POST')
    }
  })

  it('is granted to the roles that desk.md names', () => {
    const matrix = Object.fromEntries(
      roles.map((role) => [
        role,
        names.filter((name) => isPermission(deskWire[name].needs) && mayCall(role, name)),
      ]),
    ) as Record<Role, DeskName[]>
    const all = names.filter((name) => isPermission(deskWire[name].needs))
    expect(matrix.owner).toEqual(all)
    expect(all.filter((name) => !matrix.operator.includes(name))).toEqual(
      all.filter((name) => ['staff.read', 'staff.manage', 'settings.keys'].includes(deskWire[name].needs)),
    )
    expect(matrix.viewer.filter((name) => deskWire[name].effect !== 'reads')).toEqual([])
    expect(matrix.support.filter((name) => deskWire[name].effect !== 'reads')).toEqual([
      'switch_off_top_up',
      'cut_connections',
      'see_as_customer',
      'resend_confirmation',
      'give_traffic',
      'block_customer',
      'unblock_customer',
      'end_customer_sessions',
      'remove_team_member',
      'add_note',
      'remove_note',
      'add_tag',
      'send_letter',
      'set_tags',
    ])
    expect(matrix.accountant.filter((name) => deskWire[name].effect !== 'reads')).toEqual([
      'give_money',
      'take_money',
      'ask_processor',
      'replay_payment_event',
      'register_receipt',
      'take_payout',
      'pay_payout',
      'refuse_payout',
      'refund_invoice',
      'send_refund',
      'drop_refund',
      'settle_return',
    ])
    const holders = (permission: Permission) => roles.filter((role) => may(role, permission))
    expect(holders('connections.targets')).toEqual(['owner', 'operator', 'support'])
    expect(holders('connections.read')).toEqual(['owner', 'operator', 'support', 'viewer'])
    for (const permission of ['customers.access', 'customers.export', 'customers.erase'] as const)
      expect(holders(permission)).toEqual(['owner', 'operator'])
    expect(holders('payments.test')).toEqual(['owner', 'operator'])
    expect(holders('exits.change')).toEqual(['owner', 'operator'])
    expect(holders('gateways.change')).toEqual(['owner', 'operator'])
    for (const permission of ['settings.read', 'settings.change', 'content.change'] as const)
      expect(holders(permission)).toEqual(['owner', 'operator'])
  })

  it('refuses roles without its permission, and callers who have not signed in', async () => {
    const nobody = office.browser()
    const members = new Map<Role, StaffMember>()
    for (const role of roles) members.set(role, await office.staff(role))
    for (const name of names) {
      const { needs } = deskWire[name]
      if (needs === 'anyone') continue
      expect(await codeOf(await send(nobody, name)), name).toBe('unauthorized')
      for (const [role, { browser }] of members) {
        if (mayCall(role, name)) continue
        const answer = await send(browser, name)
        expect([answer.status, await codeOf(answer)], `${role} ${name}`).toEqual([403, 'no_permission'])
        for (const format of deskWire[name].file ? fileFormats : [])
          expect(await codeOf(await browser.fetch(`${deskPath(name)}.${format}`)), `${role} ${name}`).toBe(
            'no_permission',
          )
      }
    }
  })

  it('refuses unknown fields, other shapes and other methods', async () => {
    for (const name of names.filter((each) => deskWire[each].needs === 'anyone' && each !== 'session'))
      expect(await codeOf(await send(office.browser(), name, { role: 'owner' })), name).toBe('unknown_field')
    expect(
      await codeOf(
        await send(owner.browser, 'block_customer', { id: customerId, tell: true, reason: 'abuse', by: '1' }),
      ),
    ).toBe('unknown_field')
    for (const body of ['[]', '"x"'])
      expect(
        (
          await owner.browser.fetch(deskPath('sign_out'), {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
        ).status,
      ).toBe(400)
    expect((await owner.browser.fetch(deskPath('customers'), { method: 'PUT' })).status).toBe(405)
  })
})

describe('a request from another site', () => {
  const foreign: [string, Record<string, string>][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['the shop’s own origin', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['another site without Origin', { origin: '', 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null' }],
  ]
  it.each(foreign)('is refused with a valid cookie: %s', async (_what, headers) => {
    const thief = owner.browser.stolen()
    for (const [name, value] of Object.entries(headers))
      if (value === '') delete thief.headers[name]
      else thief.headers[name] = value
    const answer = await send(thief, 'end_my_session')
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'wrong_origin'])
    expect((await owner.call('session', {})).stage).toBe('signed_in')
  })

  it('cannot read an answer, nor sign in', async () => {
    const page = office.browser({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    const answer = await send(page, 'sign_in', { name: owner.name, password: owner.password })
    expect(await codeOf(answer)).toBe('wrong_origin')
    expect(answer.headers.getSetCookie()).toEqual([])
    const read = await page.fetch(deskPath('session'))
    expect(read.status).toBe(403)
    expect(read.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('outside of DESK_ALLOW is refused, whatever X-Forwarded-For says', async () => {
    const closed = await desk(shop, { allow: ['203.0.113.0/24'] })
    const behind = await desk(shop, { allow: ['203.0.113.0/24'], trustProxy: ['127.0.0.1'] })
    const from = (there: Desk, ip: string) =>
      there.browser({ 'x-forwarded-for': ip, forwarded: `for=${ip}` }).fetch(deskPath('session'))
    expect(await codeOf(await from(closed, '203.0.113.7'))).toBe('not_allowed_here')
    expect((await from(behind, '203.0.113.7')).status).toBe(200)
    expect((await from(behind, '198.51.100.7')).status).toBe(403)
    // A forger adds to the field; the proxy appends the address it sees.
    expect((await from(behind, '203.0.113.7, 198.51.100.7')).status).toBe(403)
    await closed.close()
    await behind.close()
  })
})

describe('the cookie', () => {
  it('is for this host and no script, and Secure where the desk is public', () => {
    const token = 'a'.repeat(43)
    const cookieOf = (url: URL) => cookieField(token, 'turnpike-desk', url)
    const tokenIn = (cookies: string, url: URL) => tokenInCookies(cookies, 'turnpike-desk', url)
    expect(cookieOf(new URL('https://desk.example'))).toBe(
      `__Host-turnpike-desk=${token}; Path=/; HttpOnly; SameSite=Strict; Secure`,
    )
    expect(cookieOf(deskUrl)).toBe(`turnpike-desk=${token}; Path=/; HttpOnly; SameSite=Strict`)
    expect(tokenIn(`turnpike-desk=${token}`, deskUrl)).toBe(token)
    expect(tokenIn(`turnpike-desk=${token}; turnpike-desk=${'b'.repeat(43)}`, deskUrl)).toBeNull()
    expect(tokenIn(`turnpike-desk=${token}`, new URL('https://desk.example'))).toBeNull()
  })
})

/** Requests a payout of $5 as a customer; returns its id. */
async function openPayout(): Promise<string> {
  const customer = await shop.customer()
  const id = BigInt(await accountIdOf(customer))
  const { db } = shop.database
  await transaction(db, (tx) =>
    giveMoney(tx, { accountId: id, micros: 5_000_000n, kind: 'staff_gift', reference: randomUUID() }),
  )
  await db
    .insertInto('shop_setting')
    .values(
      (['payouts', 'payout_least_micros'] as const).map((name) => ({
        name,
        value: 1n,
        changed_by: 'test',
        changed_at: shop.clock.now,
      })),
    )
    .execute()
  await db
    .updateTable('account_device')
    .set({ first_at: new Date(0) })
    .execute()
  const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  await customer.call('request_payout', { micros: '5000000', network: 'usdt_trc20', wallet })
  const { rows } = await shop.database.pool.query<{ id: bigint }>('select max(id) as id from referral_payout')
  return String(rows[0]?.id)
}

const look = { reason: 'a complaint' }
const incident: DeskInput<'open_incident'> = {
  title: { ru: 'Сбой у продавца', en: 'A seller fails' },
  pools: ['residential'],
  state: 'investigating',
  text: { ru: 'Выясняем причину.', en: 'We are looking for the cause.' },
}
const thisDay = () => shop.clock.now.toISOString().slice(0, 10)

/** Makes a planned refund that waits to be sent by hand; returns its id. */
async function plannedRefund(): Promise<string> {
  const number = await shop.buy(await shop.customer(), { pool: 'residential', gb: 1 })
  return (await planRefund(shop.database, { number, what: 'all' }, new Date())).name
}

/** For each audited call an input that the audit trail records; a missing call is a type error. */
const recipes: Record<AuditedName, () => Promise<() => Promise<unknown>>> = {
  sign_in: async () => {
    const { name, password } = await office.staff('viewer')
    return () => office.browser().call('sign_in', { name, password })
  },
  sign_out: async () => {
    const { call } = await office.staff('viewer')
    return () => call('sign_out', {})
  },
  confirm_totp: async () => {
    const code = await office.code(owner.secret)
    return () => owner.call('confirm_totp', { code })
  },
  confirm_recovery_code: async () => () =>
    owner.call('confirm_recovery_code', { code: owner.recoveryCodes[0] ?? '' }),
  confirm_passkey: async () => {
    const { member, key } = await withPasskey()
    const { options } = await member.call('passkey_challenge', {})
    return () => member.call('confirm_passkey', { response: key.get(options, deskUrl.origin) })
  },
  confirm_password: async () => {
    const member = await demoOwner()
    return () => member.call('confirm_password', { password: demoPassword })
  },
  join_finish: async () => {
    await office.stepUp(owner)
    const { url } = await owner.call('invite_staff', { name: `joins-${randomUUID()}`, role: 'viewer' })
    const token = new URL(url).hash.slice(1)
    const browser = office.browser()
    const { secret } = (await browser.call('join_begin', { token })).totp
    const factor = { kind: 'totp', code: await office.code(secret) } as const
    return () => browser.call('join_finish', { token, password: 'a password that is long', factor })
  },
  end_my_session: async () => () => owner.call('end_my_session', {}),
  change_my_password: async () => {
    const { call } = await office.staff('viewer')
    return () => call('change_my_password', { password: 'another one that is long' })
  },
  totp_finish: async () => {
    const { call } = await office.staff('viewer')
    const { secret } = await call('totp_begin', {})
    const code = await office.code(secret)
    return () => call('totp_finish', { code })
  },
  remove_totp: async () => {
    const { member } = await withPasskey()
    return () => member.call('remove_totp', {})
  },
  passkey_finish: async () => {
    const { call } = await office.staff('viewer')
    const { options } = await call('passkey_begin', {})
    const response = new Authenticator().create(options, deskUrl.origin)
    return () => call('passkey_finish', { name: 'a key', response })
  },
  remove_passkey: async () => {
    const { member } = await withPasskey()
    const [passkey] = (await member.call('my_factors', {})).passkeys
    return () => member.call('remove_passkey', { id: passkey?.id ?? '' })
  },
  new_recovery_codes: async () => {
    const { call } = await office.staff('viewer')
    return () => call('new_recovery_codes', {})
  },
  connections: async () => () => owner.call('connections', look),
  customer_hosts: async () => () =>
    owner.call('customer_hosts', { ...look, id: customerId, from: thisDay(), until: thisDay() }),
  live_connections: async () => () => owner.call('live_connections', { ...look, id: customerId }),
  complaint_answer: async () => {
    await refusedConnection()
    const { rows } = await owner.call('connections', {})
    const asked = { ...look, request_id: rows[0]?.request_id ?? '', language: 'en' } as const
    return () => owner.call('complaint_answer', asked)
  },
  open_incident: async () => () => owner.call('open_incident', incident),
  update_incident: async () => {
    const { id } = await owner.call('open_incident', incident)
    return () => owner.call('update_incident', { id, state: 'resolved', text: incident.text })
  },
  correct_incident: async () => {
    const { id } = await owner.call('open_incident', incident)
    const { title } = incident
    return () => owner.call('correct_incident', { id, title, pools: ['mobile'], updates: [] })
  },
  set_rate: async () => () => owner.call('set_rate', { currency: 'SEK', per_usd: '9.4' }),
  import_rates: async () => () =>
    owner.call('import_rates', { csv: 'currency,date,rate\nSEK,2026-01-02,9.1\n' }),
  set_display_currency: async () => () =>
    owner.call('set_display_currency', { currency: 'SEK', shown: true }),
  give_traffic: async () => () => owner.call('give_traffic', { ...traffic(), bytes: '1000' }),
  take_traffic: async () => () => owner.call('take_traffic', { ...traffic(), bytes: '1000' }),
  give_money: async () => () => owner.call('give_money', money()),
  take_money: async () => () => owner.call('take_money', money()),
  block_customer: async () => () =>
    owner.call('block_customer', { id: customerId, reason: 'a complaint', tell: false }),
  unblock_customer: async () => () => owner.call('unblock_customer', { id: customerId }),
  end_customer_sessions: async () => () => owner.call('end_customer_sessions', { id: customerId }),
  remove_team_member: async () => {
    const member = await accountIdOf(await shop.customer())
    await shop.database.db
      .insertInto('team_member')
      .values({
        team_id: BigInt(customerId),
        member_id: BigInt(member),
        role: 'viewer',
        joined_at: new Date(),
      })
      .execute()
    return () => owner.call('remove_team_member', { id: customerId, member_id: member, reason: 'asked' })
  },
  add_note: async () => () => owner.call('add_note', { id: customerId, text: 'called us' }),
  remove_note: async () => {
    const { id } = await owner.call('add_note', { id: customerId, text: 'to be removed' })
    return () => owner.call('remove_note', { note_id: id })
  },
  export_customer: async () =>
    fresh(() => owner.call('export_customer', { id: customerId, reason: 'asked for it' })),
  erase_customer: async () => {
    const id = await accountIdOf(await shop.customer())
    return fresh(() => eraseAsShown(owner, { id, reason: 'asked for it', write_off: false }))
  },
  decline_erasure: async () => {
    const leaving = await shop.customer()
    const id = await accountIdOf(leaving)
    await leaving.call('request_erasure', { password: leaving.password })
    return () => owner.call('decline_erasure', { id, reason: 'an invoice is open' })
  },
  set_tags: async () => () => owner.call('set_tags', { id: customerId, tags: ['vip'] }),
  cut_connections: async () => () => owner.call('cut_connections', { id: customerId }),
  reset_access: async () => () =>
    owner.call('reset_access', {
      id: customerId,
      parts: ['proxy_passwords', 'sign_in', 'api_token'],
      reason: 'a thief',
    }),
  switch_off_top_up: async () => () =>
    owner.call('switch_off_top_up', { id: customerId, pool: 'residential', reason: 'asked for it' }),
  see_as_customer: async () => () =>
    owner.call('see_as_customer', { id: customerId, reason: 'the page looks empty to them' }),
  resend_confirmation: async () => {
    const id = await accountIdOf(await shop.customer())
    return () => owner.call('resend_confirmation', { id })
  },
  set_customer_limits: async () => () =>
    owner.call('set_customer_limits', {
      id: customerId,
      pool: 'residential',
      connections: 7,
      reason: 'asked for it',
    }),
  set_api_pace: async () => () =>
    owner.call('set_api_pace', { id: customerId, times: 5, reason: 'a contract of 2026' }),
  save_view: async () => () =>
    owner.call('save_view', { page: 'customers', name: 'mine', query: 'state=blocked' }),
  remove_view: async () => {
    const { id } = await owner.call('save_view', { page: 'customers', name: 'gone', query: '' })
    return () => owner.call('remove_view', { id })
  },
  add_tag: async () => () =>
    owner.call('add_tag', { id: customerId, tag: `tag ${randomUUID()}`.slice(0, 40) }),
  send_letter: async () => () =>
    owner.call('send_letter', {
      id: customerId,
      subject: 'Maintenance',
      text: 'Tonight.',
      key: randomUUID(),
    }),
  dispute_evidence: async () => {
    const number = await shop.buy(await shop.customer(), { pool: 'residential', gb: 1 })
    await shop.database.pool.query('update invoice set disputed_at = now() where number = $1', [number])
    return () => owner.call('dispute_evidence', { number })
  },
  refund_invoice: async () => {
    const buyer = await shop.customer()
    const number = await shop.buy(buyer, { pool: 'residential', gb: 1 })
    return () =>
      owner.call('refund_invoice', {
        key: randomUUID(),
        number,
        what: { kind: 'whole' },
        reason: 'asked for it',
      })
  },
  send_refund: async () => {
    const id = await plannedRefund()
    return () => owner.call('send_refund', { id, reason: 'it was sent' })
  },
  drop_refund: async () => {
    const id = await plannedRefund()
    return () => owner.call('drop_refund', { id, reason: 'not any more' })
  },
  settle_return: async () => {
    const number = await shop.buy(await shop.customer(), { pool: 'residential', gb: 1 })
    await shop.database.pool.query(
      `insert into processor_refund (method, refund_id, invoice_id, cause, state, currency, amount_micros, made_at, changed_at)
       select method, $1, id, 'refund', 'unclear', 'BTC', 50, now(), now() from invoice where number = $1`,
      [number],
    )
    return () =>
      owner.call('settle_return', { number, id: number, micros: '1000000', reason: 'the rate then' })
  },
  register_receipt: async () => {
    const buyer = await shop.customer()
    const number = await shop.buy(buyer, { pool: 'residential', gb: 1 })
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      `insert into receipt (invoice_number, account_id, method, kind, registrar, state, currency, amount_micros, description)
       select number, account_id, method, 'payment', 'manual', 'due', 'USD', received_micros, 'traffic'
       from invoice where number = $1 returning id`,
      [number],
    )
    return () => owner.call('register_receipt', { id: String(rows[0]?.id), number: '200abc' })
  },
  take_payout: async () => {
    const id = await openPayout()
    return () => owner.call('take_payout', { id, micros: '5000000' })
  },
  pay_payout: async () => {
    const id = await openPayout()
    await owner.call('take_payout', { id, micros: '5000000' })
    return () => owner.call('pay_payout', { id, reference: 'a transaction' })
  },
  refuse_payout: async () => {
    const id = await openPayout()
    return () => owner.call('refuse_payout', { id, reason: 'the wallet is closed' })
  },
  test_purchase: async () => () =>
    owner.call('test_purchase', { method: 'crypto', reason: 'a new key', key: randomUUID() }),
  ask_processor: async () => {
    const { call } = await shop.customer()
    await call('create_invoice_web', { payment_method: 'crypto', amount: 10, pool: 'residential' })
    const [made] = (await owner.call('invoices', { method: 'crypto', limit: 1 })).rows
    return () => owner.call('ask_processor', { number: made?.number ?? '' })
  },
  replay_payment_event: async () => {
    const [event] = (await owner.call('payment_events', { limit: 1 })).rows
    return () => owner.call('replay_payment_event', { id: event?.id ?? '', reason: 'the secret was wrong' })
  },
  drain_gateway: async () => {
    const name = await gateway()
    return () => owner.call('drain_gateway', { name })
  },
  undrain_gateway: async () => {
    const name = await gateway()
    await shop.database.pool.query('update gateway set drain_asked_at = now() where name = $1', [name])
    return () => owner.call('undrain_gateway', { name, reason: 'repaired' })
  },
  revoke_gateway_token: async () => {
    const name = await gateway()
    await makeGatewayToken(shop.database.db, { gateway: name, replaces: false })
    return () => owner.call('revoke_gateway_token', { name, reason: 'stolen' })
  },
  set_exit: async () => {
    const id = await exit()
    return () => owner.call('set_exit', { id, weight: 7 })
  },
  add_exit: async () => fresh(() => owner.call('add_exit', { ...newExit(), enabled: true })),
  set_exit_cost: async () => {
    const id = await exit()
    const terms = { per_gb_micros: '1200000', month_micros: '0', rounding: 'none' } as const
    return () => owner.call('set_exit_cost', { id, from: '2026-11-01', binary_gb: false, ...terms })
  },
  set_exit_stock: async () => {
    const id = await exit()
    return () => owner.call('set_exit_stock', { id, left_bytes: '5000000000' })
  },
  add_seller_account: async () => fresh(() => owner.call('add_seller_account', newSellerAccount())),
  set_seller_account: async () => {
    const id = await sellerAccount()
    return fresh(() => owner.call('set_seller_account', { id, counts: 'down' }))
  },
  check_seller_account: async () => {
    const id = await sellerAccount()
    return () => owner.call('check_seller_account', { id })
  },
  decide_seller_places: async () => {
    const id = await sellerAccount()
    await shop.database.pool.query(
      `insert into seller_places_asked (account_id, csv, sha256, rows, addresses, asked_at) values ($1, '', '', 1, 1, now())`,
      [id],
    )
    return () => owner.call('decide_seller_places', { id, list: '', decision: 'keep' })
  },
  remove_seller_account: async () => {
    const id = await sellerAccount()
    return () => owner.call('remove_seller_account', { id, reason: 'the contract ended' })
  },
  remove_exit: async () => {
    const id = await exit()
    return () => owner.call('remove_exit', { id, reason: 'the contract ended' })
  },
  import_places: async () => () => owner.call('import_places', { owner: ownPlaces, csv: placesCsv }),
  restore_places: async () => {
    await owner.call('import_places', { owner: ownPlaces, csv: placesCsv })
    const [source] = await owner.call('place_sources', {})
    return () => owner.call('restore_places', { file_id: source?.files[0]?.id ?? '', reason: 'back again' })
  },
  remove_places: async () => {
    await owner.call('import_places', { owner: ownPlaces, csv: placesCsv })
    return () => owner.call('remove_places', { source: 'own', reason: 'no longer sold' })
  },
  change_prices: async () => {
    const seen = await owner.call('prices', {})
    const prices = seen.prices.map((price) => ({ ...price, per_gb_micros: '4000000' }))
    return () => owner.call('change_prices', { seen, prices, tiers: seen.tiers, reason: 'spring' })
  },
  create_price_list: async () => () => owner.call('create_price_list', listOf('Wholesale')),
  change_price_list: async () => {
    const { id, version } = await owner.call('create_price_list', listOf('Friends'))
    return () => owner.call('change_price_list', { id, version, ...listOf('Close friends') })
  },
  remove_price_list: async () => {
    const { id, version } = await owner.call('create_price_list', listOf('Brief'))
    return () => owner.call('remove_price_list', { id, version, reason: 'not used' })
  },
  assign_price_list: async () => {
    const { id: listId } = await owner.call('create_price_list', listOf('Agreed'))
    return () => owner.call('assign_price_list', { id: customerId, list_id: listId, reason: 'agreed' })
  },
  create_promo_codes: async () => () =>
    owner.call('create_promo_codes', promo({ kind: 'one', code: 'SPRING' })),
  change_promo_code: async () => () =>
    owner.call('change_promo_code', {
      code: 'SPRING',
      max_uses: 9,
      uses_per_person: 2,
      first_purchase: false,
      pools: null,
      expires_at: null,
    }),
  stop_promo_batch: async () => {
    await owner.call('create_promo_codes', promo({ kind: 'batch', name: 'stopped', prefix: 'ST-', count: 2 }))
    return () => owner.call('stop_promo_batch', { batch: 'stopped' })
  },
  stop_promo_code: async () => () => owner.call('stop_promo_code', { code: 'SPRING' }),
  set_referral_share: async () => () =>
    owner.call('set_referral_share', { share_ppm: 70_000, reason: 'a better offer' }),
  save_draft: async () => async () => {
    const value = await brandNamed('Northway')
    return owner.call('save_draft', { part: 'brand', value, draft: await brandDraft() })
  },
  discard_draft: async () => {
    const { draft } = await newDraft()
    return () => owner.call('discard_draft', { part: 'brand', draft })
  },
  publish_content: async () => {
    const seen = await newDraft()
    return () => owner.call('publish_content', { part: 'brand', ...seen })
  },
  restore_content: async () => {
    const first = await owner.call('publish_content', { part: 'brand', ...(await newDraft()) })
    const second = await owner.call('publish_content', { part: 'brand', ...(await newDraft()) })
    return () => owner.call('restore_content', { id: first.id ?? '', seen: second.id })
  },
  upload_picture: async () => () =>
    owner.call('upload_picture', {
      picture: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>',
      ),
    }),
  publish_banner: async () => () => owner.call('publish_banner', banner),
  change_banner: async () => {
    const { id } = await owner.call('publish_banner', banner)
    return () => owner.call('change_banner', { ...banner, id, seen: 1, position: 7 })
  },
  remove_banner: async () => {
    const { id } = await owner.call('publish_banner', banner)
    return () => owner.call('remove_banner', { id })
  },
  confirm_alert_address: async () => {
    const { call, code } = await withAddress()
    return () => call('confirm_alert_address', { code })
  },
  set_fee_terms: async () => () =>
    owner.call('set_fee_terms', {
      method: 'crypto',
      percent_ppm: 10_000,
      fixed_micros: '0',
      reason: 'by the contract',
    }),
  set_my_alerts: async () =>
    fresh(() => owner.call('set_my_alerts', { email: 'owner@example.com', language: 'en', kinds: [] })),
  set_alert_settings: async () =>
    fresh(() =>
      owner.call('set_alert_settings', {
        language: 'en',
        quiet: { from: '23:00', until: '08:00' },
        digest: '09:00',
        group_off: ['erasure'],
      }),
    ),
  make_alert_code: async () => fresh(() => owner.call('make_alert_code', {})),
  unlink_alert_group: async () => {
    await shop.database.pool.query(
      `insert into alert_group (chat_id, title, is_forum, linked_at, linked_by) values (-1, 'staff', false, now(), 'a')`,
    )
    return fresh(() => owner.call('unlink_alert_group', {}))
  },
  test_alert: async () => () => owner.call('test_alert', {}),
  change_setting: async () =>
    fresh(() => owner.call('change_setting', { name: 'letters_days', value: '60', reason: 'an audit' })),
  test_connection: async () => fresh(() => owner.call('test_connection', { group: 'stars' })),
  change_variables: async () => {
    const values = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
    return fresh(() => owner.call('change_variables', { group: 'card', values, reason: 'an audit' }))
  },
  invite_staff: async () => fresh(() => owner.call('invite_staff', { name: 'invited', role: 'support' })),
  set_staff_role: async () => {
    const id = String((await office.staff('viewer')).id)
    return fresh(() => owner.call('set_staff_role', { id, role: 'support' }))
  },
  reset_staff: async () => {
    const id = String((await office.staff('viewer')).id)
    return fresh(() => owner.call('reset_staff', { id }))
  },
  block_staff: async () => {
    const id = String((await office.staff('viewer')).id)
    return fresh(() => owner.call('block_staff', { id }))
  },
  unblock_staff: async () => {
    const id = String((await office.staff('viewer')).id)
    return fresh(() => owner.call('unblock_staff', { id }))
  },
  end_staff_sessions: async () => {
    const id = String((await office.staff('viewer')).id)
    return fresh(() => owner.call('end_staff_sessions', { id }))
  },
}

const brandNamed = async (name: string) => ({ ...(await owner.call('content', {})).parts.brand, name })

/** The version of the brand's draft; null: there is none. */
const brandDraft = async () => (await owner.call('content', {})).drafts.brand?.version ?? null

/** Saves a draft of the brand; returns its version, and the version in force. */
async function newDraft(): Promise<{ draft: string; seen: string | null }> {
  const value = await brandNamed(`Shop ${randomUUID().slice(0, 8)}`)
  const saved = await owner.call('save_draft', { part: 'brand', value, draft: await brandDraft() })
  const { versions } = await owner.call('content', {})
  return { draft: saved.version, seen: versions.find(({ part }) => part === 'brand')?.id ?? null }
}

async function withAddress() {
  const person = await office.staff('viewer')
  const email = `${person.name}@example.com`
  await office.stepUp(person)
  await person.call('set_my_alerts', { email, language: 'en', kinds: [] })
  return { call: person.call, code: await office.codeFor(email) }
}
async function exit() {
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', $1, 'direct', true) returning id`,
    [randomUUID().slice(0, 8)],
  )
  return String(rows[0]?.id)
}

let accounts = 0
const newSellerAccount = () => ({
  seller: 'geonode',
  label: `account ${++accounts}`,
  counts: 'both' as const,
  credentials: { api_key: 'the-secret-of-tests', user_id: '77' },
  exits: [],
})
async function sellerAccount() {
  await office.stepUp(owner)
  return (await owner.call('add_seller_account', newSellerAccount())).id
}

/** A seller's exit as the form describes it. */
const newExit = () => ({
  pool: 'residential' as const,
  name: randomUUID().slice(0, 8),
  kind: 'http' as const,
  preset: 'dataimpulse',
  host: null,
  port: null,
  username: 'abc123',
  password: 's3cret of the seller',
  options: { anon: '1' },
  tls: false,
  weight: 3,
  max_connections: 500,
  countries: ['de', 'us'],
})

async function gateway() {
  const name = `gw${randomUUID().slice(0, 8)}`
  await shop.database.pool.query(
    `insert into gateway (name, version, address, workers, state, started_at) values ($1, '1', 'here:1', 1, 'running', now())`,
    [name],
  )
  return name
}

/** A refused connection of the customer, from this machine. */
async function refusedConnection() {
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    'select id from access where account_id = $1',
    [customerId],
  )
  const whose = {
    accessId: rows[0]?.id ?? 0n,
    accountId: BigInt(customerId),
    pool: 'residential' as const,
  }
  const refused = { ...refusedWith('exit_failed'), client: '127.0.0.1', exit_word: 'no TARGET.example here' }
  const { now } = shop.clock
  await keepConnections(shop.database.db, [connectionOf(whose, now, refused)], now)
}

async function fresh(work: () => Promise<unknown>) {
  await office.stepUp(owner)
  return work
}

const act = () => ({ id: customerId, reason: 'a gesture', key: randomUUID() })
const traffic = () => ({ ...act(), pool: 'residential' as const })
const money = () => ({ ...act(), micros: '1000000' })
const listOf = (name: string) => ({
  name,
  prices: [{ pool: 'residential' as const, off_ppm: 100_000 }],
  tiers: null,
  reason: 'agreed',
})
const promo = (
  codes: { kind: 'one'; code: string } | { kind: 'batch'; name?: string; prefix: string; count: number },
) => ({
  codes,
  grant: { kind: 'discount' as const, discount_ppm: 100_000, min_gb: 1 },
  max_uses: null,
  expires_at: null,
  key: randomUUID(),
})
const ownPlaces = { kind: 'source' as const, name: 'own' }
const placesCsv = 'pool,country,count\nmobile,us,5\n'

/** One pixel, GIF. */
const banner = {
  alt_ru: 'Баннер',
  alt_en: 'A banner',
  link: '/shares',
  picture: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  position: 0,
  starts_at: null,
  ends_at: null,
}

async function withPasskey() {
  const member = await office.staff('viewer')
  const key = new Authenticator()
  const { options } = await member.call('passkey_begin', {})
  await member.call('passkey_finish', { name: 'a key', response: key.create(options, deskUrl.origin) })
  return { member, key }
}

const demoPassword = 'the password of the demo'

/** An owner without a second factor, as in a demo, at the desk of a demo. */
async function demoOwner() {
  const { seedDemoOwner } = await import('#staff')
  await seedDemoOwner(shop.database.db, { username: 'demo-owner', password: demoPassword })
  const settings = { ...shop.services.settings, demo: true }
  const there = await desk({ ...shop, services: { ...shop.services, settings } })
  closing.push(there)
  const browser = there.browser()
  expect((await browser.call('sign_in', { name: 'demo-owner', password: demoPassword })).stage).toBe(
    'signed_in',
  )
  return browser
}
const closing: Desk[] = []
afterAll(async () => {
  for (const each of closing) await each.close()
})

describe('the audit trail', () => {
  const lastId = async () =>
    (await shop.database.pool.query<{ id: bigint }>('select coalesce(max(id), 0) as id from audit_entry'))
      .rows[0]?.id ?? 0n

  it.each(Object.keys(recipes) as AuditedName[])('has an entry of %s', async (name) => {
    const run = await recipes[name]()
    const before = await lastId()
    await run()
    const { rows } = await shop.database.pool.query<{ action: string; staff_id: bigint | null }>(
      'select action, subject_kind, staff_id, request_id, ip from audit_entry where id > $1',
      [before],
    )
    expect(rows).toMatchObject([{ action: name, subject_kind: deskWire[name].audit, ip: '127.0.0.1' }])
    expect(rows[0]?.staff_id).not.toBeNull()
  })

  it('holds no secret', async () => {
    const { rows } = await shop.database.pool.query<{ text: string }>(
      'select audit_entry::text as text from audit_entry',
    )
    const all = rows.map(({ text }) => text).join('\n')
    for (const secret of [owner.password, owner.secret, ...owner.recoveryCodes, demoPassword])
      expect(all).not.toContain(secret)
    expect(all).not.toMatch(/argon2/)
  })

  it('rolls back with a change that fails', async () => {
    const before = await lastId()
    await refusalOf(owner.call('stop_promo_code', { code: 'NOSUCH' }))
    await refusalOf(owner.call('block_customer', { id: '999999', reason: 'nobody', tell: false }))
    expect(await lastId()).toBe(before)
  })
})

describe('passkeys', () => {
  it('are used to join, sign in and step up; another origin, another challenge and no verification are refused', async () => {
    const { member, key } = await withPasskey()
    const browser = office.browser()
    const { name, password } = member
    expect((await browser.call('sign_in', { name, password })).factors).toContain('passkey')
    const { options } = await browser.call('passkey_challenge', {})
    const wrong = key.get(options, 'https://evil.example')
    expect((await refusalOf(browser.call('confirm_passkey', { response: wrong }))).code).toBe('wrong_factor')
    // The challenge was used up by the wrong answer.
    const late = key.get(options, deskUrl.origin)
    expect((await refusalOf(browser.call('confirm_passkey', { response: late }))).code).toBe('wrong_factor')
    const again = (await browser.call('passkey_challenge', {})).options
    key.verifies = false
    const unverified = key.get(again, deskUrl.origin)
    expect((await refusalOf(browser.call('confirm_passkey', { response: unverified }))).code).toBe(
      'wrong_factor',
    )
    key.verifies = true
    const once = (await browser.call('passkey_challenge', {})).options
    const response = key.get(once, deskUrl.origin)
    expect((await browser.call('confirm_passkey', { response })).stage).toBe('signed_in')
    expect((await refusalOf(browser.call('confirm_passkey', { response }))).code).toBe('wrong_factor')
  })

  it('of another person are not accepted', async () => {
    const [a, b] = [await withPasskey(), await withPasskey()]
    const { options } = await a.member.call('passkey_challenge', {})
    const response = b.key.get(options, deskUrl.origin)
    expect((await refusalOf(a.member.call('confirm_passkey', { response }))).code).toBe('wrong_factor')
    const passkeysOfB = async () => (await b.member.call('my_factors', {})).passkeys
    const [theirs] = await passkeysOfB()
    expect((await refusalOf(a.member.call('remove_passkey', { id: theirs?.id ?? '' }))).code).toBe(
      'passkey_not_found',
    )
    expect(await passkeysOfB()).toEqual([theirs])
  })

  it('one factor always remains', async () => {
    const { call } = await office.staff('viewer')
    expect((await refusalOf(call('remove_totp', {}))).code).toBe('last_factor')
  })
})

describe('a viewer', () => {
  it('sees no contact in any answer, and none in files', async () => {
    const viewer = await office.staff('viewer')
    await owner.call('add_note', { id: customerId, text: `wrote from ${customer.email}` })
    await refusedConnection()
    const account = await sellerAccount()
    const today = shop.clock.now.toISOString().slice(0, 10)
    const inputs: Partial<Record<DeskName, string>> = {
      customer: `?id=${customerId}`,
      customer_ledger: `?id=${customerId}`,
      customer_timeline: `?id=${customerId}`,
      customer_usage: `?id=${customerId}&from=2026-01-01&until=2026-01-02`,
      find: `?text=${encodeURIComponent(customer.email)}`,
      traffic_sums: `?by=country&from=${today}&until=${today}`,
      report: `?report=sales&by=campaign&from=${today}&until=${today}`,
      promo_code_uses: '?id=1',
      promo_code_days: `?id=1&from=${today}&until=${today}`,
      postings: `?report=sales&from=${today}&until=${today}`,
      refusals: `?from=${today}&until=${today}`,
      customer_refusals: `?id=${customerId}`,
      customer_usage_by: `?id=${customerId}&by=country&from=${today}&until=${today}`,
      customer_promo_uses: `?id=${customerId}`,
      customer_letters: `?id=${customerId}`,
      customer_limits: `?id=${customerId}`,
      customer_api: `?id=${customerId}`,
      customer_top_ups: `?id=${customerId}`,
      live_connections: `?id=${customerId}`,
      my_views: '?page=customers',
      exit_refusals: '?id=1',
      exit_costs: '?id=1',
      seller_bill: `?id=${account}`,
      seller_answers: `?id=${account}`,
      margin_report: '?by=day&from=2026-11-01&until=2026-11-30',
    }
    const needsInput = new Set<DeskName>([
      'invoice',
      'payment_event',
      'content_version',
      'banner_picture',
      'brand_picture',
    ])
    const readable = names.filter(
      (name) => deskWire[name].method === 'GET' && mayCall('viewer', name) && !needsInput.has(name),
    )
    const entries = async () =>
      (await shop.database.pool.query<{ count: string }>('select count(*)::text as count from audit_entry'))
        .rows[0]?.count
    for (const name of readable) {
      const before = await entries()
      const answer = await viewer.browser.fetch(`${deskPath(name)}${inputs[name] ?? ''}`)
      expect(answer.status, name).toBe(200)
      if (deskWire[name].audit === null) expect(await entries(), name).toBe(before)
      const text = await answer.text()
      expect(text, name).not.toContain(customer.email)
      if (name !== 'my_sessions') expect(text, name).not.toContain('127.0.0.1')
      expect(text, name).not.toContain('target.example')
      if (!deskWire[name].file) continue
      const download = await viewer.browser.fetch(`${deskPath(name)}.csv${inputs[name] ?? ''}`)
      expect(download.status, `${name}.csv`).toBe(200)
      const workbook = await viewer.browser.fetch(`${deskPath(name)}.xlsx${inputs[name] ?? ''}`)
      expect(workbook.status, `${name}.xlsx`).toBe(200)
      const csv = await download.text()
      const cells = cellsOf(Buffer.from(await workbook.arrayBuffer()))
      expect(cells, `${name}.xlsx`).toHaveLength(csv.trimEnd().split('\r\n').length)
      for (const hidden of [customer.email, '127.0.0.1', 'target.example']) {
        expect(csv, name).not.toContain(hidden)
        expect(JSON.stringify(cells), name).not.toContain(hidden)
      }
    }
    const part = await viewer.call('customers', { text: 'someone@exam' })
    expect(part.rows).toEqual([])
    const whole = await viewer.call('customers', { text: customer.email })
    expect(whole.rows).toMatchObject([{ id: customerId, email: 's…@e…' }])
  })
})

describe('a picture', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
  const whole = (answer: Response) => ({
    status: answer.status,
    ...Object.fromEntries(
      ['content-type', 'content-security-policy', 'x-content-type-options', 'cache-control', 'etag'].map(
        (name) => [name, answer.headers.get(name)],
      ),
    ),
  })

  it('is sent as bytes that no page can run, only to members who may see it, and is validated by its ETag', async () => {
    const { id } = await owner.call('publish_banner', banner)
    const { file } = await owner.call('upload_picture', { picture: Buffer.from(svg) })
    const viewer = await office.staff('viewer')
    for (const [url, type] of [
      [`/api/banner_picture?id=${id}`, 'image/gif'],
      [`/api/brand_picture?file=${file}`, 'image/png'],
    ] as const) {
      const answer = await viewer.browser.fetch(url)
      expect(whole(answer)).toEqual({
        status: 200,
        'content-type': type,
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        etag: expect.stringMatching(/^"[\w-]{43}"$/) as string,
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (type === 'image/gif') expect(bytes).toEqual(banner.picture)
      const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
      expect((await viewer.browser.fetch(url, { headers })).status).toBe(304)
      expect((await office.browser().fetch(url, { headers })).status).toBe(401)
      expect((await (await office.staff('support')).browser.fetch(url)).status).toBe(403)
    }
    expect((await viewer.browser.fetch('/api/banner_picture?id=999999')).status).toBe(404)
  })

  it('is uploaded as bytes of a bounded size; other bodies are refused', async () => {
    const post = (name: DeskName, type: string, body: string | Buffer<ArrayBuffer>, query = '') =>
      owner.browser.fetch(`${deskPath(name)}${query}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
    const bytes = 'application/octet-stream'
    const given = await post('upload_picture', bytes, Buffer.from(svg))
    expect(given.status).toBe(200)
    expect(await codeOf(await post('upload_picture', bytes, Buffer.alloc(512 * 1024 + 1)))).toBe(
      'body_too_large',
    )
    expect(await codeOf(await post('upload_picture', bytes, Buffer.alloc(300 * 1024)))).toMatch(/^logo_/)
    const json = JSON.stringify({ picture: Buffer.from(svg).toString('base64') })
    expect((await post('upload_picture', 'application/json', json)).status).toBe(415)
    expect((await post('sign_out', bytes, Buffer.from('{}'))).status).toBe(415)
    expect(await codeOf(await post('upload_picture', bytes, Buffer.from(svg), '?picture=x'))).not.toBe(
      'internal_error',
    )
    expect(
      await codeOf(
        await post('publish_banner', bytes, banner.picture, '?alt_ru=x&alt_en=x&link=/&position=-1'),
      ),
    ).toBe('invalid_position')
    const nobody = office.browser()
    const large = { method: 'POST', headers: { 'content-type': bytes }, body: Buffer.alloc(2 * 1024 * 1024) }
    expect((await nobody.fetch(deskPath('publish_banner'), large)).status).toBe(401)
  })
})

describe('CSV', () => {
  it('is what the list shows with the same filters, in pages, and is recorded', async () => {
    for (let each = 0; each < 3; each += 1) await shop.customer(`csvperson${each}`)
    const answer = await owner.browser.fetch('/api/customers.csv?text=csvperson&sort=oldest')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="customers-\d{4}-\d\d-\d\d\.csv"$/,
    )
    const lines = (await answer.text()).trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      'id,name,email,telegram,state,tags,spent_micros,balance_bytes,margin_micros,last_seen_at,created_at,country,price_list',
    )
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual([
      'csvperson0',
      'csvperson1',
      'csvperson2',
    ])
    const { rows } = await owner.call('audit', { action: 'export' })
    expect(rows[0]).toMatchObject({ subject_id: 'customers', after: { text: 'csvperson', sort: 'oldest' } })
  })

  it.each([
    ['=cmd()', `"'=cmd()"`],
    ['+1+1', `"'+1+1"`],
    ['@sum', `"'@sum"`],
    ['-2+3', `"'-2+3"`],
    ['\t=1', `"'\t'=1"`],
    ['\0=1', `"'=1"`],
    // Where semicolons stand between fields, or a quote in the middle of a cell is a character.
    ['a;=1+1', `"a;'=1+1"`],
    ['a;\t =1', `"a;\t '=1"`],
    ['a\r\n+1', `"a\r\n'+1"`],
    ['a\t@SUM(1)', `"a\t'@SUM(1)"`],
    ['a; b', 'a; b'],
    [' =1', `"' =1"`],
    ['＝1', `"'＝1"`],
    ['-5', '-5'],
    ['a "b", c', '"a ""b"", c"'],
  ])('writes %j as %s', (value, field) => {
    expect(csvField(value)).toBe(field)
  })
})

it('every list of the contract that has a CSV has rows of fields', () => {
  for (const name of names.filter((each) => deskWire[each].file))
    expect(Object.keys(deskContract[name].output), name).not.toEqual([])
})
