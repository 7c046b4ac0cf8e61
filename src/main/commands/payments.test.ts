import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { reconcileInvoices, sendRefunds } from '#purchase'
import { secretsOf } from '#lib/secret'
import { type App, app, testSecretKey } from '#test/app'
import { FakeYookassa } from '#test/processors/yookassa'
import { listAudit } from '#staff'
import { openTerminal, type Terminal } from '#test/terminal'
import { purchaseDeps } from '../services.ts'
import { readSettings } from '../settings/settings.ts'
import { processors } from '#payments/adapters'
import { invoiceCommands } from './invoices.ts'
import { paymentCommands } from './payments.ts'

const fake = new FakeYookassa()
let shop: App
let terminal: Terminal

beforeAll(async () => {
  await fake.start()
  vi.stubEnv('YOOKASSA_SHOP_ID', fake.shopId)
  vi.stubEnv('YOOKASSA_SECRET_KEY', fake.secretKey)
  vi.stubEnv('YOOKASSA_API_BASE', fake.url.origin)
  const { payments, publicUrl } = readSettings(process.env, tmpdir())
  shop = await app({ methods: processors(payments, { publicUrl, secrets: secretsOf(testSecretKey) }) })
  terminal = openTerminal(shop.database, [paymentCommands, invoiceCommands])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  terminal.close()
  await shop.close()
  fake.stop()
})

const run: Terminal['run'] = (...words) => terminal.run(...words)
const data: Terminal['data'] = (...words) => terminal.data(...words)

/** The actions that the audit trail has for a subject, the newest first. */
const actionsOf = async (subjectKind: string, subjectId: string) =>
  (await listAudit(shop.database.db, { subjectKind, subjectId }, { before: null, limit: 9 })).map(
    ({ action, after }) => [action, after],
  )

async function order(): Promise<{ number: string; externalId: string }> {
  const { call } = await shop.customer()
  let number = ''
  await call(
    'create_invoice_web',
    { payment_method: 'yookassa', amount: 10, pool: 'residential' },
    { onHeaders: (headers) => (number = headers.get('x-invoice-id') ?? '') },
  )
  return { number, externalId: [...fake.payments.keys()].at(-1) ?? '' }
}

const notify = (externalId: string) =>
  fetch(`${shop.origin}/api/webhooks/yookassa`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '185.71.76.5' },
    body: JSON.stringify({ type: 'notification', event: 'payment.succeeded', object: { id: externalId } }),
  })

describe('turnpike rates', () => {
  it('enables a processor with another currency', async () => {
    const offered = async () => (await shop.anyone('payment_systems', {})).map(({ name }) => name)
    expect(await offered()).toEqual(['sandbox'])
    expect(await run('rates')).toBe('No rate is set.\n')
    expect(await run('rates', 'set', 'RUB', '92.50')).toContain('1 USD is 92.50 RUB')
    expect(await offered()).toEqual(['sandbox', 'yookassa'])
    expect(await data('rates')).toEqual([{ currency: 'RUB', per_usd: 92.5, set_at: expect.any(String) }])
  })

  it.each([
    ['USD', '1'],
    ['ABC', '1'],
    ['RUB', '0'],
    ['RUB', '-5'],
    ['RUB', '92,5'],
    ['RUB', '1e3'],
  ])('takes no %s %s', async (...words) => {
    await expect(run('rates', 'set', '--', ...words)).rejects.toThrow('is invalid')
  })
})

describe('turnpike payments', () => {
  it('shows notifications with their verdicts, and processes them again', async () => {
    const { number, externalId } = await order()
    expect((await notify(externalId)).status).toBe(200)
    const [event] = (await data('payments')) as { id: number }[]
    expect(event).toMatchObject({
      method: 'yookassa',
      verdict: 'waiting',
      invoice: number,
      deliveries: 1,
      ip: '185.71.76.5',
    })
    const id = String(event?.id)
    expect(await run('payments', 'show', id)).toContain(externalId)
    fake.pay(externalId)
    expect(await run('payments', 'replay', id)).toBe(`Notification ${id}: credited.\n`)
    expect(await data('payments', 'replay', id)).toEqual({ id: Number(id), verdict: 'known_payment' })
    expect((await actionsOf('payment_event', id)).slice(0, 2)).toEqual([
      ['replay_payment_event', { verdict: 'known_payment' }],
      ['replay_payment_event', { verdict: 'credited' }],
    ])
    expect(await run('payments', 'list', '--invoice', number)).toContain('credited')
    expect(await data('payments', 'list', '--verdict', 'wrong_amount')).toEqual([])
    expect(await run('invoices', 'show', number)).toMatch(/collected in +3237.50 RUB at 92.50 of \d{4}/)
  })

  it('queries an invoice at once, and reports what is missing', async () => {
    const { number, externalId } = await order()
    expect(await run('payments', 'check', number)).toBe(`Invoice ${number}: waiting.\n`)
    fake.pay(externalId)
    expect(await data('payments', 'check', number)).toEqual({ number, verdict: 'credited' })
    expect((await actionsOf('invoice', number))[0]).toEqual(['check_invoice', { verdict: 'credited' }])
    await expect(run('payments', 'check', 'nothing')).rejects.toThrow('invoice_not_found')
    await expect(run('payments', 'replay', '999999')).rejects.toThrow('There is no notification 999999.')
    await expect(run('payments', 'replay', 'x')).rejects.toThrow('It is a whole number.')
  })

  it('sends a refund at once, and reports a refusal by the processor', async () => {
    const [first, second] = [await order(), await order()]
    for (const { externalId } of [first, second]) fake.pay(externalId)
    await reconcileInvoices(shop.database, purchaseDeps(shop.services), new Date())
    await expect(run('invoices', 'refund', first.number)).rejects.toThrow('Add --yes to do it.')
    expect(await run('invoices', 'refund', first.number, '--dry-run')).toContain('is paid: ')
    expect(await run('invoices', 'refund', first.number, '--yes')).toContain(
      '“yookassa” sends 3237.50 RUB back',
    )
    // The processor is asked for earlier refunds, then the refund is sent.
    fake.trouble(500, 500)
    expect(await run('invoices', 'refund', second.number, '--yes')).toContain('which will be told again')
    fake.calm()
    expect(await data('invoices', 'show', second.number)).toMatchObject({ refunds: [{ state: 'due' }] })
    await sendRefunds(shop.database, purchaseDeps(shop.services), new Date(Date.now() + 5 * 60_000))
    expect(await data('invoices', 'show', second.number)).toMatchObject({
      refunds: [{ state: 'done', currency: 'RUB', amount: 3237.5, reference: expect.any(String) }],
    })
  })

  it('values a refund in another currency as stated, after confirmation', async () => {
    const { number, externalId } = await order()
    fake.pay(externalId)
    await data('payments', 'check', number)
    const made = fake.refundInCabinet(externalId, { value: '10.00' })
    made.amount.currency = 'EUR'
    await data('payments', 'check', number)
    const returned = (...words: string[]) => run('invoices', 'returned', number, ...words)
    await expect(returned(made.id, '925.00')).rejects.toThrow('Add --yes to do it.')
    expect(await returned(made.id, '925.00', '--dry-run')).toContain('10 EUR of invoice')
    await expect(returned(made.id, '0.001', '--yes')).rejects.toThrow('It is an amount such as 3.50, or 0.')
    await expect(returned('nosuch', '925.00', '--yes')).rejects.toThrow('has no refund nosuch')
    expect(await returned(made.id, '925.00', '--yes')).toBe('Counted: 10.00 USD. Taken back: 2.85 GB.\n')
    await expect(returned(made.id, '925.00', '--yes')).rejects.toThrow('whose amount has to be said')
    expect((await actionsOf('invoice', number))[0]).toMatchObject(['settle_return', { micros: '925000000' }])
  })
})
