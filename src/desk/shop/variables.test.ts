import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { resealAll } from '#db/sealed'
import { secretsOf } from '#lib/secret'
import { readVariables, sealedVariables } from '#settings'
import { app, type App, refusalOf, testSecretKey } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeBtcpay } from '#test/processors/btcpay'
import { Stopper } from '../../main/process/stop.ts'
import { renewSettings, watchVariables } from '../../main/renewal.ts'

const fake = new FakeBtcpay()
let shop: App
let office: Desk
let owner: StaffMember
const stopper = new Stopper()
const reason = 'the shop opens'

beforeAll(async () => {
  await fake.start()
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  await watchVariables(shop.services, stopper)
})
afterAll(async () => {
  await stopper.stop(shop.services.log)
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
  owner.call('change_variables', { group, values, reason })
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

  it('keep a secret that is left out, but not when the address changes that it is sent to', async () => {
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

  it('leave a group to the environment that sets a part of it', async () => {
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
    await change('card', stripe)
    await expect.poll(methods).toContain('card')
    vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_of_the_environment')
    expect((await groupOf('card')).is_pinned).toBe(true)
    expect((await refusalOf(change('card', stripe))).code).toBe('variables_pinned')
    // The environment has only a part, which does not fit: the process keeps what it has.
    await renewSettings(shop.services)
    expect(methods()).toContain('card')
  })

  it('are the owner’s, with the second factor', async () => {
    const operator = await office.staff('operator')
    await office.stepUp(operator)
    const order = { group: 'card', values: {}, reason } as const
    expect((await refusalOf(operator.call('change_variables', order))).status).toBe(403)
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    expect((await refusalOf(change('card', {}))).code).toBe('step_up_needed')
  })

  it('are sealed anew with another key', async () => {
    await change('crypto', btcpay())
    const other = secretsOf('another key of more than thirty-two characters', testSecretKey)
    await resealAll(shop.database.db, other, [sealedVariables])
    expect(await readVariables(shop.database.db, other)).toMatchObject(btcpay())
    expect(await readVariables(shop.database.db, shop.services.secrets)).toEqual({})
  })
})
