import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '#ledger'
import { type App, app, type Customer, press, refusalOf } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const order = { payment_method: 'sandbox', amount: 10, pool: 'residential' } as const

async function invoiceOf(customer: Customer, given: Partial<typeof order> = {}) {
  const url = await customer.call('create_invoice_web', { ...order, ...given })
  const number = url.split('/').at(-1) ?? ''
  const find = () =>
    shop.database.db.selectFrom('invoice').selectAll().where('number', '=', number).executeTakeFirstOrThrow()
  return { url, number, find }
}

async function residential({ call }: Customer) {
  const [profile] = await call('legacy_profile', {})
  return profile?.residential
}

describe('create_invoice_web', () => {
  it('answers with the payment page and the invoice number in a header', async () => {
    const customer = await shop.customer()
    let header: string | null = null
    const url = await customer.call('create_invoice_web', order, {
      onHeaders: (headers) => (header = headers.get('x-invoice-id')),
    })
    expect(url).toBe(`http://localhost:3000/sandbox/pay/${header}`)
  })

  it('freezes price, discount and pool when it is made', async () => {
    const customer = await shop.customer()
    const { find } = await invoiceOf(customer, { amount: 300 as never })
    expect(await find()).toMatchObject({
      state: 'pending',
      gb: 300n,
      per_gb_micros: 3_500_000n,
      volume_discount_ppm: 170_000,
      cost_micros: 871_500_000n,
    })
  })

  it.each([
    ['invalid_amount', 422, { amount: 0 }],
    ['invalid_amount', 422, { amount: '1.5' }],
    ['invalid_amount', 422, { amount: 100_000_000 }],
    ['amount_too_large', 422, { amount: 99_999_999 }],
    ['invalid_pool', 422, { pool: 'satellite' }],
    ['invalid_payment_method', 422, { payment_method: 'cowries' }],
    ['payment_method_unavailable', 501, { payment_method: 'crypto' }],
    ['promocode_invalid', 422, { promocode: 'NOSUCHCODE' }],
  ])('refuses with %s %i', async (code, status, given) => {
    const { call } = await shop.customer()
    expect(await refusalOf(call('create_invoice_web', { ...order, ...given } as never))).toMatchObject({
      code,
      status,
    })
  })

  it('applies an Idempotency-Key: one invoice, the answer marked as replayed; another body is refused', async () => {
    const { call, username } = await shop.customer()
    const replayed: unknown[] = []
    const onHeaders = (headers: Headers) => replayed.push(headers.get('idempotency-replayed'))
    const options = { idempotencyKey: 'order-1', onHeaders }
    const first = await call('create_invoice_web', order, options)
    expect(await call('create_invoice_web', order, options)).toBe(first)
    expect(replayed).toEqual([null, 'true'])
    const other = call('create_invoice_web', { ...order, amount: 11 }, options)
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency_key_reused', status: 409 })
    const { count } = await shop.database.db
      .selectFrom('invoice')
      .innerJoin('account', 'account.id', 'invoice.account_id')
      .select((all) => all.fn.countAll<bigint>().as('count'))
      .where('username', '=', username)
      .executeTakeFirstOrThrow()
    expect(count).toBe(1n)
  })

  it('makes one invoice for fifty concurrent calls with one key', async () => {
    const { call } = await shop.customer()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        call('create_invoice_web', order, { idempotencyKey: 'at-once' }).catch((error: unknown) => error),
      ),
    )
    const urls = answers.filter((answer) => typeof answer === 'string')
    expect(new Set(urls).size).toBe(1)
    for (const refusal of answers.filter((answer) => typeof answer !== 'string')) {
      expect(refusal).toMatchObject({ code: 'idempotency_key_busy', status: 409 })
    }
  })
})

describe('the sandbox', () => {
  it('pays: the balance grows by the traffic bought, and the pool has a password from then on', async () => {
    const customer = await shop.customer()
    const { number, find } = await invoiceOf(customer)
    const answer = await press(shop.origin, number, 'paid')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/account?invoice=${number}`])
    expect(await find()).toMatchObject({
      state: 'paid',
      received_micros: 35_000_000n,
      credited_bytes: 10_000_000_000n,
    })
    expect(await residential(customer)).toEqual({
      balance: 10_000,
      balance_format: '10.00 GB',
      password: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    })
  })

  it('shows a page in the language of the order, without script', async () => {
    const customer = await shop.customer()
    const url = await shop.client(customer.token, 'en')('create_invoice_web', order)
    const page = await fetch(`${shop.origin}${new URL(url).pathname}`)
    const html = await page.text()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('35.00')
    expect(html).toContain('<html lang="en">')
    expect(html).not.toContain('<script')
    for (const result of ['paid', 'underpaid', 'cancelled'])
      expect(html).toContain(`name="result" value="${result}"`)
  })

  it('credits half the traffic for half the money, and the whole at most once', async () => {
    const customer = await shop.customer()
    const { number, find } = await invoiceOf(customer)
    for (let press_ = 0; press_ < 3; press_++) await press(shop.origin, number, 'underpaid')
    expect(await find()).toMatchObject({ state: 'underpaid', credited_bytes: 5_000_000_000n })
    expect((await residential(customer))?.balance).toBe(5000)
  })

  it('cancels an open invoice, but not a paid one', async () => {
    const customer = await shop.customer()
    const open = await invoiceOf(customer)
    await press(shop.origin, open.number, 'cancelled')
    expect((await open.find()).state).toBe('cancelled')
    const paid = await invoiceOf(customer)
    await press(shop.origin, paid.number, 'paid')
    await press(shop.origin, paid.number, 'cancelled')
    expect((await paid.find()).state).toBe('paid')
  })

  it('refuses other results and other invoices', async () => {
    const { number } = await invoiceOf(await shop.customer())
    expect((await press(shop.origin, number, 'doubled')).status).toBe(422)
    expect((await press(shop.origin, 'ffffffffffffffffffff', 'paid')).status).toBe(404)
  })
})

describe('settlement', () => {
  it('credits once, however many notifications of one payment arrive concurrently', async () => {
    const customer = await shop.customer()
    const { number, find } = await invoiceOf(customer)
    const answers = await Promise.all(Array.from({ length: 40 }, () => press(shop.origin, number, 'paid')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await find()).toMatchObject({ state: 'paid', credited_bytes: 10_000_000_000n })
    expect((await residential(customer))?.balance).toBe(10_000)
    expect(await verifyLedger(shop.database.db)).toEqual([])
  })

  it('refuses a forged notification and keeps its bytes', async () => {
    const customer = await shop.customer()
    const { number, find } = await invoiceOf(customer)
    const body = JSON.stringify({
      invoice: number,
      payment: 'x',
      outcome: 'received',
      received_micros: '35000000',
    })
    for (const signature of ['', `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`, 'nonsense']) {
      const answer = await fetch(`${shop.origin}/api/webhooks/sandbox`, {
        method: 'POST',
        headers: { 'sandbox-signature': signature },
        body,
      })
      expect(answer.status).toBe(401)
    }
    expect((await find()).state).toBe('pending')
    const stored = await shop.database.db
      .selectFrom('webhook_event')
      .selectAll()
      .where('body', '=', Buffer.from(body))
      .executeTakeFirstOrThrow()
    expect(stored.verdict).toBe('forged')
  })

  it('has no webhook for a method that is not configured', async () => {
    expect((await fetch(`${shop.origin}/api/webhooks/card`, { method: 'POST', body: '{}' })).status).toBe(404)
  })
})
