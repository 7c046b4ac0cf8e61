import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createCode } from '#promo'
import { processors } from '#payments/adapters'
import { setRate } from '#rates'
import { secretsOf } from '#lib/secret'
import { type App, app, testSecretKey } from '#test/app'
import { FakeYookassa } from '#test/processors/yookassa'
import { listAudit } from '#staff'
import { openTerminal, type Terminal } from '#test/terminal'
import { readSettings } from '../settings/settings.ts'
import { paymentCommands } from './payments.ts'

const fake = new FakeYookassa()
let shop: App
let terminal: Terminal

beforeAll(async () => {
  await fake.start()
  vi.stubEnv('DEMO', '1')
  vi.stubEnv('YOOKASSA_SHOP_ID', fake.shopId)
  vi.stubEnv('YOOKASSA_SECRET_KEY', fake.secretKey)
  vi.stubEnv('YOOKASSA_API_BASE', fake.url.origin)
  const { payments, publicUrl } = readSettings(process.env, tmpdir())
  shop = await app({ methods: processors(payments, { publicUrl, secrets: secretsOf(testSecretKey) }) })
  const { db } = shop.database
  await setRate(db, { currency: 'RUB', perUsdMicros: 92_500_000n, setAt: new Date() })
  const grant = { kind: 'discount', discountPpm: 200_000, minGb: 1n } as const
  await createCode(db, { code: 'FEWER', grant, maxUses: 5n, expiresAt: null })
  terminal = openTerminal(shop.database, [paymentCommands])
})
afterAll(async () => {
  process.exitCode = undefined
  vi.unstubAllEnvs()
  terminal.close()
  await shop.close()
  fake.stop()
})

/** A sale with a promo code, which the database has lost with the use of the code. */
async function lostSale(): Promise<{ number: string; externalId: string; name: string }> {
  const { call, username } = await shop.customer()
  let number = ''
  await call(
    'create_invoice_web',
    { payment_method: 'yookassa', amount: 10, pool: 'residential', promocode: 'fewer' },
    { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
  )
  const externalId = [...fake.payments.keys()].at(-1) ?? ''
  fake.pay(externalId)
  await shop.database.pool.query('delete from invoice where number = $1', [number])
  await shop.database.pool.query('delete from promo_use where invoice = $1', [number])
  return { number, externalId, name: username }
}

const recover = (...words: string[]) => terminal.run('payments', 'recover', ...words)
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
const bought = async (number: string) =>
  (await shop.database.pool.query('select * from invoice where number = $1', [number])).rows[0]

it('turnpike payments recover shows lost sales, asks, and credits them with their discount', async () => {
  const { number, externalId, name } = await lostSale()
  const shown = await recover('--since', yesterday, '--dry-run')
  expect(shown).toMatch(
    new RegExp(`yookassa +${externalId} +${number} +2590.00 RUB +10 GB residential +#\\d+ ${name} `),
  )
  expect(shown).toContain('1 payments will be credited; for 1 of them the invoice is made again.')
  expect(shown).toContain('“sandbox” has no list of payments')
  expect(shown).toContain('Nothing was done.')
  await expect(recover('--since', yesterday)).rejects.toThrow('Add --yes to do it.')
  expect(await bought(number)).toBeUndefined()
  expect(await recover('--since', yesterday, '--yes')).toContain(`Invoice ${number} of “yookassa”: credited.`)
  expect(await bought(number)).toMatchObject({
    state: 'paid',
    promocode: 'FEWER',
    promo_discount_ppm: 200_000,
    cost_micros: 28_000_000n,
    credited_bytes: 10_000_000_000n,
  })
  const told = await listAudit(shop.database.db, { action: 'recover_sale' }, { before: null, limit: 9 })
  expect(told).toMatchObject([{ subject_id: number, after: { payment: externalId, verdict: 'credited' } }])
  const { rows } = await shop.database.pool.query('select uses from promocode')
  expect(rows).toEqual([{ uses: 1n }])
  expect(await recover('--since', yesterday, '--yes')).toContain('No payment is missing.')
  expect(process.exitCode).toBeUndefined()
})

it('turnpike payments recover keeps the discount of a code that is lost too', async () => {
  const { number } = await lostSale()
  await shop.database.pool.query(`update promocode set code_key = 'another'`)
  await recover('--since', yesterday, '--yes', '--method', 'yookassa')
  await shop.database.pool.query(`update promocode set code_key = 'fewer'`)
  expect(await bought(number)).toMatchObject({
    state: 'paid',
    promocode: null,
    promo_discount_ppm: 200_000,
    credited_bytes: 10_000_000_000n,
  })
})

it('lists the sales that it cannot credit with all their data, as JSON too', async () => {
  const { number, externalId, name } = await lostSale()
  await shop.database.pool.query('update account set username_key = $1, username = $1 where username = $2', [
    `${name}2`,
    name,
  ])
  expect(await recover('--since', yesterday, '--yes')).toMatch(
    new RegExp(`${number} .*#\\d+ ${name} +${name}@example.com +left to you: another_account`),
  )
  const data = (await terminal.data('payments', 'recover', '--since', yesterday, '--yes')) as {
    sales: unknown[]
    unlisted: unknown[]
  }
  expect(data.sales).toEqual([
    expect.objectContaining({
      payment: externalId,
      invoice: number,
      currency: 'RUB',
      received: 2590,
      action: 'left',
      reason: 'another_account',
      verdict: null,
      order: expect.objectContaining({ is_genuine: true, username: name, gb: 10, promocode: 'FEWER' }),
    }),
  ])
  expect(data.unlisted).toEqual([{ method: 'sandbox', fault: null }])
  expect(await bought(number)).toBeUndefined()
})

it('turnpike payments recover says which processor did not answer, and ends with 1', async () => {
  fake.trouble(500)
  expect(await recover('--since', yesterday, '--yes')).toContain(
    '“yookassa” did not answer, and may have more',
  )
  expect(process.exitCode).toBe(1)
})

it('turnpike payments recover refuses an invalid time, and a missing one', async () => {
  await expect(recover()).rejects.toThrow('--since')
  await expect(recover('--since', 'yesterday')).rejects.toThrow('is invalid')
})
