import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personalPartNames } from '#contract/desk/choices'
import type { DB } from '#db'
import { forgetAnswers } from '#http/answers'
import { secretsOf } from '#lib/secret'
import { verifyLedger } from '#ledger'
import { mailJobs } from '#mail/jobs'
import { erasePerson, finishErasure, previewErasure } from '#personal-data'
import { lease } from '#traffic'
import { accountIdOf, app, type App, type Customer, refusalOf, testSecretKey } from '#test/app'
import { connectionOf, keepConnections } from '#test/connections'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { eraseAsShown } from '#test/erasure'
import { oneWaitsForLock } from '#test/waiting.statement'
import { unzip } from '#test/unzip'
import { personalParts } from './all.parts.ts'

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

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await shop.database.pool.query<Row>(text, values)).rows

/** Tables that belong to no part, with the reason why they store no personal data, or only temporarily. */
const notPersonal: Record<string, string> = {
  attempt:
    'counts of failures of the last 24 hours, by account or by a digest of a name; erased with the account',
  idempotency_key: 'answers of the last 24 hours, which the customer has received; erased with the account',
  meter: 'which accounts of the books traffic is charged to',
  lease: 'traffic that gateways hold, for the books',
  traffic_credited: 'bytes of the last credit, for the books',
  write_off: 'bytes that no lease covered, for the books',
  document_due: 'invoices that wait for a document',
  processor_refund: 'what the processor told of refunds; the parts invoices and refunds have their sums',
  payment_dispute: 'what the processor told of disputes; the part invoices has it',
  dispute_gift: 'gifts of disputed purchases; the part traffic_moves has the gifts',
  processor_fee: 'what processors keep of the shop’s money',
  fee_terms: 'what processors keep of the shop’s money',
  refund_watch: 'when processors were asked',
  return_seen: 'what processors list of other programs',
  document_series: 'numbers',
  document_lost: 'numbers',
  connection_permit: 'connections that gateways hold at present, by number',
  proxy_user_permit: 'connections that gateways hold at present, by number',
  request_unkept: 'numbers of requests without a record, for a week',
  session_question: 'lasts two seconds',
  session_answer: 'lasts two seconds',
  // Totals over all customers, and the state of machines.
  bill_pool: 'the state of the part bill',
  bill_since: 'the state of a table',
  bill_root: 'hashes over all bills; what is published of them names nobody',
  account_held_at: 'the state of a table',
  account_margin: 'what the shop earned by each account, by number',
  account_margin_at: 'the state of a table',
  connection_hour: 'sums',
  usage_late_hour: 'the state of sums',
  margin_counted: 'the state of sums',
  margin_hour: 'sums',
  margin_lot: 'what each purchase has earned, by number, for the books',
  margin_part: 'what each purchase earned by the hour, by number, for the books',
  margin_position: 'how much of each purchase is used, by number, for the books',
  connection_day: 'sums',
  usage_sum: 'sums',
  status_day: 'sums',
  status_now: 'sums',
  status_look: 'the state of sums',
  incident: 'the shop',
  incident_update: 'the shop',
  connection_batch: 'gateways',
  request_watch: 'who looks at their requests at present, for a minute',
  gateway: 'gateways',
  gateway_boot: 'gateways',
  report_ahead: 'gateways',
  set_back: 'gateways',
  ledger_month: 'sums',
  ledger_month_archive: 'sums',
  ledger_month_digest: 'sums',
  ledger_month_sum: 'sums by accounts of the books',
  ledger_booked_sum: 'sums',
  ledger_house_sum: 'sums',
  ledger_unsummed: 'the state of sums',
  ledger_usage_sum: 'sums',
  ledger_usage_unsummed: 'the state of sums',
  usage_kept_from: 'the state of tables',
  recurring_task: 'the state of jobs',
  backup_made: 'the state of backups',
  secret_key_check: 'the state of a key',
  // The shop's own data.
  banner: 'the shop',
  brand_picture: 'the shop',
  content: 'the shop',
  content_draft: 'the shop',
  content_version: 'the shop',
  display_currency: 'the shop',
  exchange_rate: 'the shop',
  price_list: 'the shop; the part price_list has who is given one',
  price_list_price: 'the shop',
  price_list_tier: 'the shop',
  exit: 'the shop',
  exit_place: 'the shop',
  exit_cost: 'the shop',
  exit_hour: 'sums',
  exit_minute: 'sums',
  exit_error: 'words of sellers, without the target',
  exit_stock: 'the shop',
  exit_watch: 'the shop',
  machine_finding: 'the shop',
  place_minute: 'sums',
  place_trouble: 'the shop',
  inventory_area: 'the shop',
  inventory_asn_city: 'the shop',
  inventory_asn_country: 'the shop',
  inventory_country: 'the shop',
  inventory_file: 'the shop',
  inventory_name: 'the shop',
  inventory_source: 'the shop',
  price: 'the shop',
  seller_account: 'the shop',
  seller_account_exit: 'the shop',
  seller_answer: 'sums of the shop at its sellers',
  seller_places_asked: 'the shop',
  seller_reading: 'the shop',
  seller_meter_day: 'sums',
  seller_usage: 'sums',
  gateway_token: 'the shop',
  refused_wish: 'the shop',
  promocode: 'the shop',
  referral_terms: 'the shop',
  shop_setting: 'the shop',
  shop_variable: 'the shop',
  mail_tested: 'the shop',
  restore_tried: 'the shop',
  volume_discount: 'the shop',
  // Data of staff, who are not customers.
  staff: 'staff',
  alert: 'numbers of invoices, exits and accounts; deleted 90 days after its end',
  alert_group: 'staff',
  alert_group_code: 'staff',
  alert_group_try: 'numbers of people in Telegram who gave a wrong code to a group; deleted after 90 days',
  alert_message: 'the same numbers as alert; deleted after 90 days',
  alert_settings: 'the shop',
  alert_topic: 'staff',
  staff_address: 'staff',
  staff_alert: 'staff',
  staff_alert_choice: 'staff',
  staff_link: 'staff',
  staff_recovery_code: 'staff',
  staff_session: 'staff',
  used_challenge: 'digests of answered challenges; deleted after an hour',
  customer_view: 'staff; a link or an open view of at most 15 minutes, ended by an erasure',
  staff_view: 'staff; views that name a person are erased',
  staff_webauthn_credential: 'staff',
}

describe('the parts of a person’s data', () => {
  it('cover every table of the database, except those listed with a reason', async () => {
    const tables = await query<{ name: string }>(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'migration' order by 1`)
    const known = [...personalParts.flatMap((part) => part.tables as string[]), ...Object.keys(notPersonal)]
    expect(tables.map(({ name }) => name)).toEqual(known.toSorted())
  })

  it('each have one name on the desk', () => {
    expect(personalParts.map(({ name }) => name).toSorted()).toEqual([...personalPartNames].toSorted())
  })
})

const gb = 1_000_000_000n
let planted = 0

/** A customer with data in every table, and the texts that identify it. */
async function someone() {
  const name = `zorblatt-${++planted}-ferrin`
  const customer = await shop.customer(name)
  const id = await accountIdOf(customer)
  const number = await shop.buy(customer, { pool: 'residential', gb: 5 })
  const telegram = 870_000_000_000 + planted
  const [address, lost, client] = [`8.8.${planted}.7`, `8.8.${planted}.8`, `198.51.100.${planted}`] as const
  const host = `secret-target-${planted}.example`
  await customer.call('add_ip_to_whitelist', { pool: 'residential', ip: address })
  const {
    used: _used,
    raised_day_bytes: _raised,
    ...limits
  } = await customer.call('get_pool_limits', { pool: 'residential' })
  const denied = { ...limits, pool: 'residential' as const, denied_hosts: [`denied.${host}`] }
  await customer.call('set_pool_limits', denied)
  await customer.call('reseller_token', {})
  const now = shop.clock.now
  const [access] = await query<{ id: bigint; login: string }>(
    'select id, login from access where account_id = $1',
    [id],
  )
  const whose = { accessId: access?.id ?? 0n, accountId: BigInt(id), pool: 'residential' as const }
  const record = connectionOf(whose, now, { target: `${host}:443`, client })
  await keepConnections(shop.database.db, [record, connectionOf(whose, now)], now)
  const row = (text: string, ...values: unknown[]) => query(text, [id, ...values])
  await row(
    `insert into whitelist_loss (account_id, pool, address, reason) values ($1, 'residential', $2, 'taken')`,
    lost,
  )
  await row('insert into telegram_identity (account_id, telegram_user_id) values ($1, $2)', telegram)
  await query('insert into telegram_update (bot_id, update_id, chat_id, at) values (1, $1, $2, now())', [
    planted,
    telegram,
  ])
  await row(
    `insert into saved_targeting (account_id, id, targeting) values ($1, 'abcdef0123', $2)`,
    JSON.stringify({ cities: [`city-${host}`] }),
  )
  await query('insert into slot (access_id, slot, targeting) values ($1, 1, $2)', [
    access?.id,
    JSON.stringify({ session: `session-${host}` }),
  ])
  await row(
    `insert into idempotency_key (account_id, key, request_sha256, operation, claim, status, answer_sealed)
     values ($1, 'k', sha256('x'), 'o', 'c', 200, convert_to($2, 'UTF8'))`,
    `https://pay.example/${name}`,
  )
  await query(
    `update webhook_event set body = convert_to($2, 'UTF8'), headers = $3 where invoice_number = $1`,
    [number, `{"payer":"${name}"}`, JSON.stringify({ 'x-payer': `${name}@example.com` })],
  )
  await query('update invoice set payment_url = $2 where number = $1', [
    number,
    `https://pay.example/?email=${name}@example.com`,
  ])
  await row('insert into receipt_email (account_id, email) values ($1, $2)', `${name}@example.com`)
  await row(`insert into account_currency (account_id, currency, chosen_at) values ($1, 'EUR', now())`)
  await row(
    `with l as (insert into price_list (name, has_own_tiers) values ('agreed with account ' || $1::bigint, false) returning id)
     insert into account_price_list (account_id, list_id, assigned_at) select $1, id, now() from l`,
  )
  await query(
    `insert into receipt (invoice_number, account_id, method, kind, registrar, state, currency, amount_micros,
       description, content, fiscal_document_number, registered_at)
     select number, account_id, method, 'payment', 'yookassa', 'registered', 'RUB', 1000000, 'traffic', $2, '3986', now()
     from invoice where number = $1`,
    [number, JSON.stringify({ customer: { email: `${name}@example.com` }, items: [] })],
  )
  await query(`select graphile_worker.add_job('telegram_sign_in_notice', $1::json)`, [
    JSON.stringify({ account_id: id, ip: `198.51.101.${planted}`, at: now.toISOString() }),
  ])
  await owner.call('add_note', { id, text: `wrote from ${name}@example.com about ${host}` })
  await owner.call('set_tags', { id, tags: [`tag of ${name}`.slice(0, 40)] })
  const key = crypto.randomUUID()
  await owner.call('send_letter', { id, subject: `Dear ${name}`, text: `About ${host}`, key })
  await owner.call('give_traffic', {
    id,
    pool: 'mobile',
    bytes: String(gb),
    reason: `sorry, ${name}`,
    key: crypto.randomUUID(),
  })
  await owner.call('save_view', {
    page: 'customers',
    name: `view ${planted}`,
    query: `text=${encodeURIComponent(`${name}@example.com`)}`,
  })
  await owner.browser.fetch(`/api/customers.csv?text=${encodeURIComponent(`${name}@example.com`)}`)
  const texts = [
    name,
    String(telegram),
    address,
    lost,
    client,
    host,
    access?.login ?? '',
    `198.51.101.${planted}`,
  ]
  return { id, customer, number, texts, whose, login: access?.login ?? '' }
}

/** The tables of all schemas that contain a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await query<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`)
  const pattern = `%${text}%`
  const hex = `%${Buffer.from(text).toString('hex')}%`
  const found = []
  for (const { name } of tables) {
    const rows = await query(
      `select from ${name} one where one::text ilike $1 or one::text ilike $2 limit 1`,
      [pattern, hex],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

const letters = () => {
  const sent: string[] = []
  const tasks = mailJobs({
    db: shop.database.db,
    secrets: secretsOf(testSecretKey),
    transport: { send: async ({ to }) => void sent.push(to) },
    from: { name: null, address: 'shop@example.com' },
    publicUrl: new URL('http://localhost:3000'),
    documentOf: async () => null,
    brand: async () => ({
      name: 'Turnpike',
      logoText: '',
      accent: { light: '#0a5cff', dark: '#6ea0ff' },
      logo: null,
      logoDark: null,
    }),
    noteFailure: () => undefined,
    now: () => shop.clock.now,
  })
  const sendAll = async () => {
    for (const { id } of await query<{ id: string }>('select id from mail where sent_at is null'))
      await tasks['send_mail']?.({ mail_id: id }, { job: { attempts: 1, max_attempts: 16 } } as never)
  }
  return { sent, sendAll }
}

const finish = (id: string, phase: 'first' | 'second') =>
  finishErasure(shop.database, erasureDeps(), { account: id, phase, writes_off: true }, shop.clock.now)
const erasureDeps = () => ({
  secrets: shop.services.secrets,
  forgetAnswers: (tx: Kysely<DB>, accountId: bigint) => forgetAnswers(tx, accountId),
})

const reason = 'asked for it in writing'

describe('an erasure', () => {
  it('leaves nothing of the person in any column of any table', async () => {
    const { id, texts, customer, login } = await someone()
    const neighbour = await someone()
    await query(`update account set sign_up_country = 'PT' where id = $1`, [id])
    for (const text of texts) expect(await tablesWith(text), text).not.toEqual([])
    await office.stepUp(owner)
    await eraseAsShown(owner, { id, reason, write_off: true })
    const { sent, sendAll } = letters()
    expect(await tablesWith(customer.email)).toEqual(['public.mail'])
    await sendAll()
    expect(sent).toContain(customer.email)
    await finish(id, 'first')
    await finish(id, 'second')
    for (const text of texts) expect(await tablesWith(text), text).toEqual([])
    expect(await owner.call('customer', { id })).toMatchObject({ country: null, last_signed_in_at: null })
    // Another customer still has all data.
    for (const text of neighbour.texts) expect(await tablesWith(text), text).not.toEqual([])
    expect(login).not.toBe('')
    const preview = await owner.call('preview_erasure', { id })
    expect(preview.parts.filter((part) => part.at_erasure === 'removed')).toEqual([])
    expect(preview.parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['invoices', 'payments', 'ledger']),
    )
  })

  it('revokes every way to sign in, cuts open tunnels, and frees name and address', async () => {
    const { id, customer, login } = await someone()
    const heard: string[] = []
    const client = await shop.database.pool.connect()
    client.on('notification', ({ payload }) => heard.push(payload ?? ''))
    await client.query('listen turnpike_feed')
    await office.stepUp(owner)
    await eraseAsShown(owner, { id, reason, write_off: true })
    await client.query('select 1')
    client.release(true)
    expect(heard.some((text) => text.includes(login))).toBe(true)
    const { username, email, password } = customer
    expect((await refusalOf(customer.call('legacy_profile', {}))).code).toBe('unauthorized')
    expect((await refusalOf(shop.anyone('signin', { username, password }))).code).toBe('invalid_credentials')
    expect(await owner.call('unblock_customer', { id })).toEqual({ changed: false })
    expect((await owner.call('customer', { id })).state).toBe('erased')
    await shop.anyone('signup', { username, email, password })
    await shop.anyone('signin', { username, password })
  })

  it('keeps the ledger consistent: balances are written off by an entry, and late returns of gateways an hour later', async () => {
    const { id, whose } = await someone()
    await office.stepUp(owner)
    expect((await refusalOf(eraseAsShown(owner, { id, reason, write_off: false }))).code).toBe('balance_left')
    await owner.call('give_money', { id, micros: '3000000', reason: 'a gift', key: crypto.randomUUID() })
    const prepaid = { id, micros: '2000000', of: 'balance' } as const
    await owner.call('give_money', { ...prepaid, reason: 'a gift', key: crypto.randomUUID() })
    const held = await lease(
      shop.database.db,
      { gateway: 'g', boot: 'b' },
      { access: whose.accessId, want_bytes: gb },
    )
    expect(held.granted_bytes).toBeGreaterThan(0n)
    const { written_off: writtenOff } = await eraseAsShown(owner, { id, reason, write_off: true })
    expect(writtenOff).toEqual({
      pools: [
        { pool: 'residential', bytes: String(5n * gb - BigInt(held.granted_bytes)) },
        { pool: 'mobile', bytes: String(gb) },
      ],
      micros: '3000000',
      money_micros: '2000000',
    })
    const [entry] = (await owner.call('audit', { subject_kind: 'customer', subject_id: id })).rows
    expect(entry).toMatchObject({ action: 'erase_customer', reason, after: { written_off: writtenOff } })
    await query('update lease set closed_at = now() where access_id = $1', [whose.accessId])
    for (let each = 0; each < 2; each += 1) await finish(id, 'second')
    const { left } = await owner.call('preview_erasure', { id })
    expect(left).toEqual({ pools: [], micros: '0', money_micros: '0' })
    const { rows } = await owner.call('customer_ledger', { id })
    expect(rows.filter(({ kind }) => kind === 'erasure').length).toBeGreaterThanOrEqual(3)
  })

  it('is refused while invoices, disputes or refunds are open, and is made once', async () => {
    const { id, customer, number } = await someone()
    const erase = () => eraseAsShown(owner, { id, reason, write_off: true })
    await office.stepUp(owner)
    await customer.call('create_invoice_web', { payment_method: 'sandbox', amount: 1, pool: 'mobile' })
    expect((await refusalOf(erase())).code).toBe('erasure_obstacle')
    await query(`update invoice set state = 'expired' where account_id = $1 and state = 'pending'`, [id])
    await query('update invoice set disputed_at = now() where number = $1', [number])
    expect((await owner.call('preview_erasure', { id })).obstacles).toEqual([
      { kind: 'dispute', invoices: [number] },
    ])
    expect(await refusalOf(erase())).toMatchObject({
      code: 'erasure_obstacle',
      details: { invoices: number },
    })
    await query('update invoice set disputed_at = null where number = $1', [number])
    expect(
      (await refusalOf(eraseAsShown(owner, { id, reason: `${customer.email} wrote`, write_off: true }))).code,
    ).toBe('reason_names_person')
    const ends = await Promise.allSettled([erase(), erase(), erase()])
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await refusalOf(erase())).code).toBe('customer_erased')
    expect((await refusalOf(eraseAsShown(owner, { id: '999999', reason, write_off: true }))).code).toBe(
      'customer_not_found',
    )
  })

  it.each<[string, (customer: Customer, text: string) => Promise<unknown>]>([
    [
      'an address of the whitelist',
      ({ call }, text) => call('add_ip_to_whitelist', { pool: 'residential', ip: text }),
    ],
    [
      'a proxy user',
      ({ call }, text) => call('create_proxy_user', { pool: 'residential', label: `of ${text}` }),
    ],
    [
      'an address for receipts',
      ({ call }, text) => call('set_receipt_email', { email: `a@${text}.example` }),
    ],
  ])('leaves nothing of %s that a call under way writes after it', async (_what, write) => {
    const { id, customer } = await someone()
    const text = `9.9.${planted}.77`
    const accountId = BigInt(id)
    const seen = await previewErasure(shop.database.db, accountId)
    const erasing = await shop.database.db.startTransaction().execute()
    const how = { accountId, writesOff: true, reason, seen }
    const database = { ...shop.database, db: erasing }
    await erasePerson(database, erasureDeps(), how, shop.clock.now, () => Promise.resolve())
    const writing = write(customer, text).catch(() => undefined)
    await oneWaitsForLock(shop.database.db)
    await erasing.commit().execute()
    await writing
    await finish(id, 'second')
    expect(await tablesWith(text)).toEqual([])
    const { parts } = await owner.call('preview_erasure', { id })
    expect(parts.filter((part) => part.at_erasure === 'removed')).toEqual([])
  })

  it('is refused when the request or the balance has changed since the preview', async () => {
    const { id, customer } = await someone()
    await customer.call('request_erasure', { password: customer.password })
    await office.stepUp(owner)
    const shown = await owner.call('preview_erasure', { id })
    const erase = ({ asked_at: askedAt, left } = shown) =>
      owner.call('erase_customer', { id, reason, write_off: true, seen: { asked_at: askedAt, left } })
    await customer.call('withdraw_erasure', {})
    expect((await refusalOf(erase())).code).toBe('erasure_changed')
    const withdrawn = await owner.call('preview_erasure', { id })
    await shop.buy(customer, { pool: 'residential', gb: 1 })
    expect((await refusalOf(erase(withdrawn))).code).toBe('erasure_changed')
    expect((await owner.call('customer', { id })).state).not.toBe('erased')
    await erase(await owner.call('preview_erasure', { id }))
  })

  it('keeps author and action in the audit trail, from which nothing else can be removed', async () => {
    const { id } = await someone()
    await office.stepUp(owner)
    await eraseAsShown(owner, { id, reason, write_off: true })
    const entries = await query<{ action: string; before: unknown; after: unknown; reason: string | null }>(
      'select action, before, after, reason, redacted_at from audit_entry where account_id = $1 order by id',
      [id],
    )
    expect(entries.map(({ action }) => action)).toEqual([
      'add_note',
      'set_tags',
      'send_letter',
      'give_traffic',
      'erase_customer',
    ])
    for (const { action, before, after, reason: why } of entries.slice(0, -1)) {
      expect([before, why]).toEqual([null, null])
      // Staff limits are computed from the amounts.
      expect(after === null).toBe(action !== 'give_traffic')
    }
    for (const change of [
      `actor_name = 'nobody'`,
      'reason = null',
      `redacted_at = now(), before = null, reason = null, after = '{}'`,
      'redacted_at = now(), before = null, reason = null, at = now()',
    ])
      await expect(
        query(`update audit_entry set ${change} where account_id = $1 and action = 'erase_customer'`, [id]),
      ).rejects.toThrow('append-only')
    await expect(query('delete from audit_entry')).rejects.toThrow('append-only')
  })
})

async function downloaded(path: string, from: (path: string) => Promise<Response>) {
  const answer = await from(path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/zip')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return unzip(Buffer.from(await answer.arrayBuffer()))
}

const jsonIn = (files: Map<string, string>, name: string) =>
  JSON.parse(files.get(`json/${name}.json`) ?? 'null') as Record<string, unknown>[]

describe('an export', () => {
  it('has every part as JSON and as CSV, without secrets and without data of other customers', async () => {
    const { id, customer, number, texts } = await someone()
    const neighbour = await someone()
    await query(`update account set sign_up_country = 'PT' where id = $1`, [id])
    await office.stepUp(owner)
    const { href } = await owner.call('export_customer', { id, reason })
    const files = await downloaded(href, (path) => owner.browser.fetch(path))
    expect(files.size).toBe(1 + 2 * personalParts.length)
    expect(jsonIn(files, 'account')).toMatchObject([
      { id, username: customer.username, email: customer.email, sign_up_country: 'PT' },
    ])
    expect(jsonIn(files, 'invoices')).toMatchObject([{ number, gb: '5', state: 'paid' }])
    expect(jsonIn(files, 'payments')).toMatchObject([{ invoice: number }])
    expect(jsonIn(files, 'connections')).toHaveLength(2)
    expect(jsonIn(files, 'notes_of_support')).toHaveLength(1)
    const csv = files.get('csv/invoices.csv') ?? ''
    expect(csv.split('\r\n')[1]).toContain(number)
    const all = [...files.values()].join('\n')
    for (const text of texts.filter((each) => !each.startsWith('198.51.101.')))
      expect(all, text).toContain(text)
    for (const text of neighbour.texts) expect(all, text).not.toContain(text)
    const token = await customer.call('reseller_token', {})
    const [pool] = await customer.call('legacy_profile', {})
    for (const secret of [
      customer.token,
      token,
      customer.password,
      pool?.residential.password ?? '',
      'argon2',
      owner.name,
    ])
      expect(all).not.toContain(secret)
  })

  it('contains each row of a part with thousands of rows once', async () => {
    const { id, whose } = await someone()
    const { now } = shop.clock
    const records = Array.from({ length: 2500 }, () => connectionOf(whose, now))
    await keepConnections(shop.database.db, records, now)
    const { href } = await owner.call('export_customer', { id, reason })
    const files = await downloaded(href, (path) => owner.browser.fetch(path))
    const ids = jsonIn(files, 'connections').map((row) => row['request_id'])
    expect(ids).toHaveLength(2502)
    expect(new Set(ids).size).toBe(2502)
    expect((files.get('csv/connections.csv') ?? '').trim().split('\r\n')).toHaveLength(2503)
    await office.stepUp(owner)
    await eraseAsShown(owner, { id, reason, write_off: true })
    await finish(id, 'first')
    expect(await query('select from connection_record where account_id = $1', [id])).toEqual([])
  })

  it('is downloaded by a single-use link valid for ten minutes, or on the desk with permission', async () => {
    const { id } = await someone()
    await office.stepUp(owner)
    const support = await office.staff('support')
    const { href } = await owner.call('export_customer', { id, reason })
    expect((await support.browser.fetch(href)).status).toBe(403)
    expect((await office.browser().fetch(href)).status).toBe(401)
    expect((await owner.browser.fetch(href, { method: 'HEAD' })).status).not.toBe(200)
    expect((await owner.browser.fetch(href)).status).toBe(200)
    expect((await owner.browser.fetch(href)).status).toBe(410)
    const late = await owner.call('export_customer', { id, reason })
    shop.clock.now = new Date(shop.clock.now.getTime() + 10 * 60_000 + 1)
    expect((await owner.browser.fetch(late.href)).status).toBe(410)
  })
})

describe('a customer', () => {
  const own = (customer: Customer) => ({ password: customer.password })

  it('downloads their own data with their password, five times a day', async () => {
    const { customer } = await someone()
    const { call } = customer
    expect((await refusalOf(call('export_personal_data', {}))).code).toBe('fill_fields')
    expect((await refusalOf(call('export_personal_data', { password: 'a guess' }))).code).toBe(
      'wrong_password',
    )
    for (let each = 0; each < 5; each += 1) {
      const { url } = await call('export_personal_data', own(customer))
      if (each > 0) continue
      const files = await downloaded(url, (path) => fetch(new URL(path, shop.origin)))
      expect(jsonIn(files, 'account')).toMatchObject([{ email: customer.email }])
      expect((await fetch(new URL(url, shop.origin))).status).toBe(410)
    }
    expect((await refusalOf(call('export_personal_data', own(customer)))).code).toBe('too_many_attempts')
    const program = shop.client(await call('reseller_token', {}))
    for (const name of ['export_personal_data', 'request_erasure'] as const)
      expect((await refusalOf(program(name, own(customer)))).code).toBe('not_for_reseller_token')
  })

  it('without a password needs a sign-in within the last ten minutes', async () => {
    const { customer, id } = await someone()
    await query('update account set password_hash = null where id = $1', [id])
    await customer.call('export_personal_data', {})
    shop.clock.now = new Date(shop.clock.now.getTime() + 10 * 60_000 + 1)
    expect((await refusalOf(customer.call('request_erasure', {}))).code).toBe('sign_in_again')
    owner = await office.staff('owner')
  })

  it('requests an erasure, gets a letter, and withdraws it; staff see it on Today and may decline', async () => {
    const { customer, id } = await someone()
    const { call } = customer
    const waiting = async () =>
      (await owner.call('today', {})).needs_you.find(({ kind }) => kind === 'erasure')?.examples ?? []
    expect(await call('personal_data', {})).toEqual({ erasure_requested_at: null })
    const { erasure_requested_at: at } = await call('request_erasure', own(customer))
    expect(at).not.toBeNull()
    expect(await call('request_erasure', own(customer))).toEqual({ erasure_requested_at: at })
    expect(await waiting()).toEqual([`#${id}`])
    expect((await owner.call('customers', { state: 'erasure_asked' })).rows.map((row) => row.id)).toEqual([
      id,
    ])
    expect(
      await query(`select from mail where template = 'erasure_requested' and recipient = $1`, [
        customer.email,
      ]),
    ).toHaveLength(1)
    await call('withdraw_erasure', {})
    expect(await waiting()).toEqual([])
    await call('request_erasure', own(customer))
    expect(await owner.call('decline_erasure', { id, reason: 'an invoice is open' })).toEqual({
      changed: true,
    })
    expect(await owner.call('decline_erasure', { id, reason: 'an invoice is open' })).toEqual({
      changed: false,
    })
    expect(await call('personal_data', {})).toEqual({ erasure_requested_at: null })
    const { sendAll } = letters()
    await sendAll()
  })
})
