import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { resealAll } from '#db/sealed'
import { secretsOf } from '#lib/secret'
import { reconcileInvoices } from '#purchase'
import { readVariables, sealedVariables, variablesChannel } from '#settings'
import { app, type App, refusalOf, testSecretKey } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeBtcpay } from '#test/processors/btcpay'
import { startSmtp } from '#test/smtp'

const fake = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember
const reason = 'the shop opens'
const log: string[] = []

beforeAll(async () => {
  await fake.start()
  shop = await app({
    env: { DEMO: '0' },
    log: pino({ level: 'info' }, { write: (line) => void log.push(line) }),
  })
  office = await desk(shop)
  owner = await office.staff('owner')
  await shop.watchSettings()
})
afterAll(async () => {
  await office.close()
  await shop.close()
  fake.stop()
})
beforeEach(() => office.stepUp(owner))
afterEach(() => vi.unstubAllEnvs())

const btcpay = (key = fake.apiKey) => ({
  BTCPAY_URL: fake.url.origin,
  BTCPAY_API_KEY: key,
  BTCPAY_STORE_ID: fake.storeId,
  BTCPAY_WEBHOOK_SECRET: fake.webhookSecret,
})
const change = (group: 'crypto' | 'mail' | 'card', values: Record<string, string>) =>
  owner.call('change_variables', { group, values, reason, leaves_open: true })
const groupOf = async (name: string) => {
  const groups = await owner.call('variables', {})
  return groups.find(({ group }) => group === name) ?? expect.fail(`no group ${name}`)
}
const methods = () => shop.services.methods.list().map(({ name }) => name)

describe('variables at the desk', () => {
  it('connect a payment processor without a restart, and disconnect it', async () => {
    expect(methods()).not.toContain('crypto')
    expect(await change('crypto', btcpay())).toEqual({ changed: true })
    await expect.poll(methods).toContain('crypto')
    const customer = await shop.customer()
    await customer.call('create_invoice_web', { payment_method: 'crypto', amount: 10, pool: 'residential' })
    expect(fake.invoices.size).toBe(1)
    expect(await change('crypto', btcpay())).toEqual({ changed: false })
    const empty = Object.fromEntries(Object.keys(btcpay()).map((name) => [name, '']))
    expect(await change('crypto', empty)).toEqual({ changed: true })
    await expect.poll(methods).not.toContain('crypto')
  })

  it('never show a secret again, neither in answers nor in the audit trail nor in the table', async () => {
    const key = 'a-very-secret-key-of-btcpay'
    await change('crypto', btcpay(key))
    const shown = JSON.stringify([await groupOf('crypto'), await owner.call('audit', {})])
    expect(shown).not.toContain(key)
    expect(shown).toContain(fake.url.origin)
    const { rows } = await sql<{ row: string }>`select v::text as row from shop_variable v`.execute(
      shop.database.db,
    )
    expect(rows.filter(({ row }) => row.includes(Buffer.from(key).toString('hex')))).toEqual([])
    const { variables } = await groupOf('crypto')
    const apiKey = variables.find(({ name }) => name === 'BTCPAY_API_KEY')
    expect(apiKey).toMatchObject({ is_secret: true, is_set: true, value: null, changed: { by: owner.name } })
  })

  it('keep a secret that is left out, but not when the address to which it is sent changes', async () => {
    await change('crypto', btcpay())
    const { BTCPAY_URL: url, BTCPAY_STORE_ID: store } = btcpay()
    await change('crypto', { BTCPAY_URL: url, BTCPAY_STORE_ID: `${store}2` })
    const stored = await readVariables(shop.database.db, shop.services.secrets)
    expect(stored).toMatchObject({ ...btcpay(), BTCPAY_STORE_ID: `${store}2` })
    const stolen = change('crypto', { BTCPAY_URL: 'https://thief.example', BTCPAY_STORE_ID: store })
    expect(await refusalOf(stolen)).toMatchObject({ code: 'secrets_needed' })
  })

  it.each([
    ['card', { STRIPE_SECRET_KEY: 'sk_test_12345678' }, 'variable_missing'],
    ['card', { STRIPE_SECRET_KEY: 'no key', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }, 'variable_malformed'],
    ['card', { YOOKASSA_SHOP_ID: '1' }, 'unknown_variable'],
    ['card', { STRIPE_API_BASE: 'https://thief.example' }, 'unknown_variable'],
    ['mail', { SMTP_URL: 'http://mail.example' }, 'variable_malformed'],
    ['mail', { SMTP_URL: 'smtp://mail.example' }, 'variable_missing'],
    ['mail', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'nobody' }, 'variable_malformed'],
  ] as const)('refuse for %s %j with %s and change nothing', async (group, values, code) => {
    const before = await readVariables(shop.database.db, shop.services.secrets)
    expect((await refusalOf(change(group, values))).code).toBe(code)
    expect(await readVariables(shop.database.db, shop.services.secrets)).toEqual(before)
  })

  it('leave a group to the environment when the environment sets a part of it', async () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
    await change('card', stripe)
    await expect.poll(methods).toContain('card')
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_of_the_environment')
    expect((await groupOf('card')).is_pinned).toBe(true)
    expect((await refusalOf(change('card', stripe))).code).toBe('variables_pinned')
    // The environment sets only a part of the group, which is not valid: the process keeps its settings.
    await sql`select pg_notify(${variablesChannel}, '')`.execute(shop.database.db)
    await expect.poll(() => log.join('')).toContain('so no change of the desk is taken over')
    expect(methods()).toContain('card')
  })

  it('refuse another account while something is open at the present one, until staff accept it', async () => {
    await change('crypto', btcpay())
    await expect.poll(methods).toContain('crypto')
    const customer = await shop.customer()
    await customer.call('create_invoice_web', { payment_method: 'crypto', amount: 10, pool: 'residential' })
    const [id = ''] = [...fake.invoices.keys()].slice(-1)
    const { open } = await groupOf('crypto')
    expect(open).toMatchObject({ refunds: 0, disputes: 0, saved_methods: 0 })
    expect(open.invoices).toBeGreaterThan(0)
    const empty = Object.fromEntries(Object.keys(btcpay()).map((name) => [name, '']))
    const leave = owner.call('change_variables', { group: 'crypto', values: empty, reason })
    expect(await refusalOf(leave)).toMatchObject({ code: 'connection_in_use', status: 409 })
    // A different webhook secret does not mean a different account.
    const secret = { ...btcpay(), BTCPAY_WEBHOOK_SECRET: 'another-secret-of-webhooks' }
    expect(await owner.call('change_variables', { group: 'crypto', values: secret, reason })).toEqual({
      changed: true,
    })

    // A payment while nothing is connected: its notification gets 404, so the processor repeats it.
    expect(await change('crypto', empty)).toEqual({ changed: true })
    await expect.poll(methods).not.toContain('crypto')
    fake.pay(id)
    const body = JSON.stringify({ invoiceId: id, storeId: fake.storeId, type: 'InvoiceSettled' })
    const late = await fetch(`${shop.origin}/api/webhooks/crypto`, { method: 'POST', body })
    expect(late.status).toBe(404)
    // Once the same account is connected again, the worker asks about the open invoice.
    await change('crypto', btcpay())
    await expect.poll(methods).toContain('crypto')
    expect(await reconcileInvoices(shop.database, shop.purchase(), shop.clock.now)).toMatchObject({
      credited: 1,
    })
  })

  it('test what is connected with a call that changes nothing, and never show what the server said', async () => {
    const test = () => owner.call('test_connection', { group: 'crypto' })
    await change('crypto', btcpay())
    await expect.poll(methods).toContain('crypto')
    const before = fake.invoices.size
    expect(await test()).toEqual({ is_good: true, sentence: 'BTCPay Server answers and accepts the key.' })
    expect(fake.invoices.size).toBe(before)
    await change('crypto', btcpay('a-key-that-was-revoked'))
    await expect.poll(async () => (await test()).sentence).toContain('rejects the key (401)')
    await change('crypto', btcpay())
    await expect.poll(async () => (await test()).is_good).toBe(true)
    fake.trouble('malformed')
    expect((await test()).sentence).toContain('does not answer')
    fake.trouble(500)
    expect((await test()).sentence).not.toContain('500')
    const { rows } = await owner.call('audit', { action: 'test_connection' })
    expect(JSON.stringify(rows)).toContain('connection_denied')
    expect(JSON.stringify(rows) + log.join('')).not.toContain('a-key-that-was-revoked')
    const nothing = await owner.call('test_connection', { group: 'stars' })
    expect(nothing).toMatchObject({
      is_good: false,
      sentence: expect.stringContaining('Nothing is connected') as string,
    })
  })

  it('test the mail with a letter, whose refusal shows the server’s words without the password', async () => {
    const sink = await startSmtp({
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'right'
          ? done(null, { user: username })
          : done(new Error(`no ${password ?? ''} for you`)),
    })
    const server = (password: string) => ({
      SMTP_URL: `smtp://shop:${password}@127.0.0.1:${sink.port}`,
      MAIL_FROM: 'shop@example.net',
    })
    const test = (to: string) => owner.call('test_connection', { group: 'mail', to })
    const from = () => shop.services.settings.mail
    await change('mail', server('right'))
    await expect.poll(() => from().smtp?.auth?.pass).toBe('right')
    expect((await refusalOf(test('no address'))).code).toBe('invalid_email')
    expect(await test('owner@example.net')).toMatchObject({ is_good: true })
    expect((await sink.letterTo('owner@example.net')).mail.subject).toContain('A test of the mail')
    await change('mail', server('hunter2-hunter2'))
    await expect.poll(() => from().smtp?.auth?.pass).toBe('hunter2-hunter2')
    const { is_good: isGood, sentence } = await test('owner@example.net')
    expect(isGood).toBe(false)
    expect(sentence).toContain('for you')
    expect(sentence).not.toContain('hunter2')
    await change('mail', { SMTP_URL: '', MAIL_FROM: '' })
    await expect.poll(() => from().smtp).toBeNull()
    await sink.close()
  })

  it('are the owner’s, with the second factor', async () => {
    const operator = await office.staff('operator')
    await office.stepUp(operator)
    const order = { group: 'card', values: {}, reason } as const
    expect((await refusalOf(operator.call('change_variables', order))).status).toBe(403)
    const test = { group: 'card' } as const
    expect((await refusalOf(operator.call('test_connection', test))).status).toBe(403)
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    expect((await refusalOf(change('card', {}))).code).toBe('step_up_needed')
    expect((await refusalOf(owner.call('test_connection', test))).code).toBe('step_up_needed')
  })

  it('are sealed anew with another key', async () => {
    await change('crypto', btcpay())
    const other = secretsOf('another key of more than thirty-two characters', testSecretKey)
    await resealAll(shop.database.db, other, [sealedVariables])
    expect(await readVariables(shop.database.db, other)).toMatchObject(btcpay())
    expect(await readVariables(shop.database.db, shop.services.secrets)).toEqual({})
  })
})

describe('addresses of servers', () => {
  it.each([
    ['crypto', 'BTCPAY_URL', 'http://127.0.0.1:9'],
    ['crypto', 'BTCPAY_URL', 'http://169.254.169.254'],
    ['crypto', 'BTCPAY_URL', 'http://[::ffff:10.0.0.1]'],
    ['crypto', 'BTCPAY_URL', 'http://0x7f.1'],
    ['crypto', 'BTCPAY_URL', 'http://localhost'],
    ['mail', 'SMTP_URL', 'smtp://10.0.0.1'],
    ['mail', 'SMTP_URL', 'smtp://user:pass@localhost:25'],
  ] as const)(
    'in private networks are refused at the desk of a public shop: %s %s %s',
    async (group, name, url) => {
      const publicUrl = 'https://shop.example.net'
      const { settings } = shop.services
      const before = settings.publicUrl
      settings.publicUrl = new URL(publicUrl)
      try {
        const values = group === 'mail' ? { MAIL_FROM: 'shop@example.net' } : btcpay()
        const asked = change(group, { ...values, [name]: url })
        expect((await refusalOf(asked)).code).toBe('variable_private')
      } finally {
        settings.publicUrl = before
      }
    },
  )
})
