import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { removePrice, setPrice } from '#catalog'
import { transaction } from '#db'
import { findNeeds } from '#desk'
import { verifyLedger } from '#ledger'
import { readOrder } from '#payments'
import { reconcileInvoices } from '#purchase'
import { storeSetting } from '#settings'
import { forgetMethod, runTopUps } from '#topup'
import { refusalOf } from '#test/app'
import { gb, type TopUpShop, topUpShop } from '#test/topup'
import { oneWaitsForLock } from '#test/waiting.statement'

let desk: TopUpShop
let db: TopUpShop['shop']['database']['db']
beforeAll(async () => {
  desk = await topUpShop()
  db = desk.shop.database.db
})
afterEach(async () => {
  desk.stripe.calm()
  expect(await verifyLedger(db)).toEqual([])
})
afterAll(() => desk.close())

type Customer = Awaited<ReturnType<TopUpShop['customer']>>
const half = gb / 2n

/** A customer with 1 GB and a saved card, whose top-up is on: below half a GB one more is bought. */
async function withTopUp(terms: Parameters<TopUpShop['switchOn']>[1] = {}, method?: 'yookassa') {
  const customer = await desk.customer()
  await desk.save(customer, method)
  await desk.switchOn(customer, terms)
  await desk.letters(customer)
  return customer
}

const stateOf = async ({ call }: Customer) => (await call('get_top_ups', {})).pools[0]
/** The automatic invoices of a customer, the oldest first. */
const invoicesOf = async ({ call }: Customer) =>
  (await call('invoices', {})).filter(({ automatic }) => automatic).toReversed()
const intents = () => [...desk.stripe.saved.intents.values()]
const paidIntents = () => intents().filter(({ status }) => status === 'succeeded').length

describe('a saved payment method', () => {
  it('is saved with an order whose payer has agreed, and what they agreed to is kept and sent to them', async () => {
    const customer = await desk.customer()
    const before = await customer.call('get_top_ups', {})
    expect(before).toMatchObject({ methods: ['card', 'yookassa'], saved: [], pools: [], saving: false })
    await desk.save(customer)
    const { saved } = await customer.call('get_top_ups', {})
    expect(saved).toMatchObject([{ method: 'card', brand: 'Visa', last4: '4242', expires: '2030-12' }])
    expect((await desk.letters(customer)).map(({ template }) => template)).toEqual(
      expect.arrayContaining(['top_up_consent', 'payment_received']),
    )
    const { rows } = await sql<{ text: string; sha: string; ip: string; language: string; card: string }>`
      select text, encode(sha256, 'hex') as sha, ip, language, card from top_up_consent
      where account_id = ${customer.accountId}`.execute(db)
    const { text, sha256: sha } = before.save_consent
    expect(rows).toEqual([{ text, sha, ip: '127.0.0.1', language: 'ru', card: 'Visa\u{a0}••\u{a0}4242' }])
    // Sealed: the processor's id is nowhere to be read.
    const [stored] = (await sql<{ sealed: Buffer }>`select sealed from saved_method`.execute(db)).rows
    expect(stored?.sealed.toString('latin1')).not.toContain('pm_')
  })

  it('is not saved without consent, with an old one, or with a method that is not allowed', async () => {
    const customer = await desk.customer()
    const order = { payment_method: 'card', amount: 1, pool: 'residential' } as const
    await customer.call('create_invoice_web', order)
    expect([...desk.stripe.sessions.values()].at(-1)?.saves).toBe(false)
    const outdated = customer.call('create_invoice_web', { ...order, save_consent: 'f'.repeat(64) })
    expect((await refusalOf(outdated)).code).toBe('consent_outdated')
    const { save_consent: consent } = await customer.call('get_top_ups', {})
    const sandbox = { ...order, payment_method: 'sandbox', save_consent: consent.sha256 }
    expect((await refusalOf(customer.call('create_invoice_web', sandbox))).code).toBe('top_up_unavailable')
  })

  it('is removed at once, which ends what is charged with it; the processor forgets it afterwards', async () => {
    const customer = await withTopUp()
    const id = (await customer.call('get_top_ups', {})).saved[0]?.id ?? ''
    const other = await desk.customer()
    expect((await refusalOf(other.call('remove_saved_method', { id }))).code).toBe('saved_method_not_found')
    const after = await customer.call('remove_saved_method', { id })
    expect(after).toMatchObject({ saved: [], pools: [{ on: false, off_reason: 'method_removed' }] })
    await desk.use(customer.accountId, gb - 1n)
    const before = intents().length
    await desk.run()
    expect(intents()).toHaveLength(before)
    const { rows } = await sql<{ payload: unknown }>`
      select p.payload from graphile_worker._private_jobs p join graphile_worker._private_tasks t on t.id = p.task_id
      where t.identifier = 'forget_saved_method'`.execute(db)
    const forgotten = desk.stripe.saved.detached.length
    for (const { payload } of rows) await forgetMethod(desk.shop.services, payload)
    expect(desk.stripe.saved.detached.length).toBe(forgotten + rows.length)
  })
})

describe('a payment method that is no longer offered', () => {
  const offer = (value: bigint) =>
    transaction(db, (tx) =>
      storeSetting(tx, { name: 'offer_card', value, by: 'owner', reason: 'a test' }, desk.shop.clock.now),
    )

  it('is not saved, agreed to or charged until it is offered again', async () => {
    const customer = await withTopUp()
    const methodId = (await customer.call('get_top_ups', {})).saved[0]?.id ?? ''
    await offer(0n)
    try {
      expect((await customer.call('get_top_ups', {})).methods).toEqual(['yookassa'])
      const wish = {
        pool: 'residential',
        method_id: methodId,
        below_bytes: 1e9,
        gb: 2,
        month_usd: 100,
      } as const
      expect((await refusalOf(customer.call('top_up_consent', wish))).code).toBe('top_up_unavailable')
      await desk.use(customer.accountId, gb - half + 1n)
      const before = intents().length
      await desk.run()
      expect(intents()).toHaveLength(before)
      expect(await stateOf(customer)).toMatchObject({ on: true, off_reason: null, last: null })
      await offer(1n)
      await desk.run()
      expect(intents()).toHaveLength(before + 1)
      expect(await stateOf(customer)).toMatchObject({ on: true, last: { state: 'succeeded' } })
    } finally {
      await offer(1n)
    }
  })
})

describe('a card that is saved again', () => {
  const cards = async (customer: Customer) => (await customer.call('get_top_ups', {})).saved
  const forgetAll = async () => {
    const { rows } = await sql<{ payload: unknown }>`
      select p.payload from graphile_worker._private_jobs p join graphile_worker._private_tasks t on t.id = p.task_id
      where t.identifier = 'forget_saved_method'`.execute(db)
    for (const { payload } of rows) await forgetMethod(desk.shop.services, payload)
  }

  it('is recognised, and the processor deletes the earlier saved method', async () => {
    const customer = await withTopUp()
    const [first] = [...desk.stripe.saved.methods.keys()].slice(-1)
    const [known] = await cards(customer)
    await desk.save(customer)
    const second = [...desk.stripe.saved.methods.keys()].at(-1)
    expect(second).not.toBe(first)
    expect(await cards(customer)).toMatchObject([{ id: known?.id }])
    await forgetAll()
    expect(desk.stripe.saved.detached).toContain(first)
    expect(desk.stripe.saved.methods.has(second ?? '')).toBe(true)
  })

  it('with the same last digits but another number is new: the first is charged as agreed', async () => {
    const customer = await withTopUp()
    const first = [...desk.stripe.saved.methods.keys()].at(-1)
    const { card } = desk.stripe.saved
    desk.stripe.saved.card = { last4: '4242', fingerprint: 'another card' }
    try {
      await desk.save(customer)
    } finally {
      desk.stripe.saved.card = card
    }
    expect(await cards(customer)).toMatchObject([{ last4: '4242' }, { last4: '4242' }])
    await desk.use(customer.accountId, 2n * gb - half + 1n)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect(intents().at(-1)?.payment_method).toBe(first)
  })
})

describe('a charge', () => {
  it('is made when the balance falls through the threshold, once', async () => {
    const customer = await withTopUp()
    expect(await desk.run()).toMatchObject({ made: 0 })
    await desk.use(customer.accountId, half)
    expect(await desk.run()).toMatchObject({ made: 0 })
    await desk.use(customer.accountId, 1n)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect(await desk.run()).toMatchObject({ made: 0 })
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid', method: 'card', gb: 1 }])
    expect(await stateOf(customer)).toMatchObject({
      on: true,
      charged_usd: 3.5,
      last: { state: 'succeeded' },
    })
    expect((await desk.letters(customer)).map(({ template }) => template)).toEqual(['payment_received'])
    await desk.use(customer.accountId, gb)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect(await invoicesOf(customer)).toHaveLength(2)
  })

  it('is made at once when it is switched on below the threshold', async () => {
    const customer = await desk.customer()
    const id = await desk.save(customer)
    const wish = {
      pool: 'residential',
      method_id: id,
      below_bytes: 1_000_000_001,
      gb: 2,
      month_usd: 50,
    } as const
    const { text, charges_now: now } = await customer.call('top_up_consent', wish)
    expect(now).toBe(true)
    expect(text).toContain('первое списание будет сразу')
    await desk.switchOn(customer, wish)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect(await desk.run()).toMatchObject({ made: 0 })
  })

  it('goes through YooKassa in roubles, with the maximum amount that it may take', async () => {
    const customer = await withTopUp({}, 'yookassa')
    expect(await stateOf(customer)).toMatchObject({ most: { currency: 'RUB', amount: 385 } })
    await desk.use(customer.accountId, half + 1n)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect([...desk.yookassa.payments.values()].at(-1)).toMatchObject({
      amount: { value: '350.00', currency: 'RUB' },
      status: 'succeeded',
    })
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid', method: 'yookassa' }])
  })

  it('is one, by any number of workers', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    const before = paidIntents()
    await Promise.all(Array.from({ length: 4 }, desk.run))
    await desk.later(5)
    await Promise.all(Array.from({ length: 4 }, desk.run))
    expect(paidIntents() - before).toBe(1)
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid' }])
  })

  it.each(['card', 'yookassa'] as const)(
    'by %s is one when its answer is lost, also when the processor forgets the key',
    async (method) => {
      const customer = await withTopUp({}, method === 'card' ? undefined : method)
      const fake = method === 'card' ? desk.stripe : desk.yookassa
      await desk.use(customer.accountId, half + 1n)
      const count = () => paidIntents() + [...desk.yookassa.payments.values()].length
      const before = count()
      fake.trouble('lost', 500, 500)
      expect(await desk.run()).toMatchObject({ made: 1, succeeded: 0 })
      fake.calm()
      fake.forgetKeys()
      expect(await stateOf(customer)).toMatchObject({ last: { state: 'intended' } })
      await desk.later(5)
      expect(await desk.run()).toMatchObject({ made: 0, succeeded: 1 })
      expect(count() - before).toBe(1)
      expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid' }])
    },
  )

  it('is credited once by its notifications and the job', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    desk.stripe.trouble('lost', 500, 500)
    await desk.run()
    desk.stripe.calm()
    const id = intents().at(-1)?.id ?? ''
    const finding = await desk.shop.services.methods.get('card').look?.(id)
    expect(finding).toMatchObject({ status: 'received', receivedMicros: 3_500_000n })
    await desk.later(5)
    await Promise.all([desk.run(), desk.run()])
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid', received_usd: 3.5 }])
  })

  it('never exceeds the bound of the month, and continues in the next', async () => {
    const customer = await withTopUp({ month_usd: 7.5 })
    for (const [bytes, made] of [
      [gb - 100n, 1],
      [gb - 100n, 1],
      [gb - 100n, 0],
      [1n, 0],
    ] as const) {
      await desk.use(customer.accountId, bytes)
      expect(await desk.run()).toMatchObject({ made })
    }
    expect(await stateOf(customer)).toMatchObject({ on: true, charged_usd: 7 })
    expect((await desk.letters(customer)).filter(({ template }) => template === 'top_up')).toMatchObject([
      { data: { event: 'bound' } },
    ])
    await desk.later(32 * 24 * 60)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
  })

  it('is not made for a blocked customer, a pool off sale or a higher price, and the customer is notified', async () => {
    const [blocked, dearer, gone] = [
      await withTopUp(),
      await withTopUp(),
      await withTopUp({ pool: 'mobile' }),
    ]
    await sql`update account set blocked_at = now() where id = ${blocked.accountId}`.execute(db)
    for (const one of [blocked, dearer]) await desk.use(one.accountId, half + 1n)
    await setPrice(db, 'residential', 3_600_000n)
    await removePrice(db, 'mobile')
    const before = intents().length
    await desk.run()
    await setPrice(db, 'residential', 3_500_000n)
    await setPrice(db, 'mobile', 7_900_000n)
    expect(intents()).toHaveLength(before)
    await sql`update account set blocked_at = null where id = ${blocked.accountId}`.execute(db)
    expect(await stateOf(blocked)).toMatchObject({ on: false, off_reason: 'account_blocked' })
    expect(await stateOf(dearer)).toMatchObject({ on: false, off_reason: 'price_raised' })
    expect(await stateOf(gone)).toMatchObject({ on: false, off_reason: 'pool_off_sale' })
    expect(await desk.letters(dearer)).toMatchObject([{ template: 'top_up', data: { event: 'off' } }])
  })

  it.each<[string, (customer: Awaited<ReturnType<typeof withTopUp>>) => Promise<unknown>]>([
    ['the customer has switched it off', ({ call }) => call('switch_off_top_up', { pool: 'residential' })],
    [
      'the customer was blocked',
      ({ accountId }) => sql`update account set blocked_at = now() where id = ${accountId}`.execute(db),
    ],
  ])('that was not sent yet is not sent after %s', async (_event, happens) => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    const { database, clock } = desk.shop
    // The process ends between the intent and the request.
    const { secrets } = desk.deps
    const open = () => {
      throw new Error('killed')
    }
    const stopped = runTopUps(database, { ...desk.deps, secrets: { ...secrets, open } }, clock.now)
    await expect(stopped).rejects.toThrow('killed')
    const before = intents().length
    await happens(customer)
    await desk.later(5)
    expect(await desk.run()).toMatchObject({ failed: 1 })
    await sql`update account set blocked_at = null where id = ${customer.accountId}`.execute(db)
    expect(intents()).toHaveLength(before)
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'cancelled' }])
    expect(await desk.letters(customer)).toEqual([])
  })
})

describe('a charge in the lists of a processor', () => {
  it('carries the signed order, from which it is restored after the loss of the database', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    await desk.run()
    const [invoice] = await invoicesOf(customer)
    const listed = await desk.shop.services.methods.get('card').list?.(new Date(0))
    const found = listed?.find(({ invoiceNumber }) => invoiceNumber === invoice?.number)
    expect(found).toMatchObject({ status: 'received', receivedMicros: 3_500_000n })
    expect(readOrder(desk.deps.secrets, found?.order ?? '')).toMatchObject({
      isGenuine: true,
      record: { invoice: invoice?.number, gb: 1n },
    })
  })
})

describe('a failed charge', () => {
  it('is reported and repeated after hours; the third in a row switches top-up off', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    desk.stripe.saved.bank.push('insufficient_funds', 'generic_decline', 'insufficient_funds')
    expect(await desk.run()).toMatchObject({ made: 1, failed: 1 })
    await desk.later(3 * 60)
    expect(await desk.run()).toMatchObject({ made: 0 })
    await desk.later(61)
    expect(await desk.run()).toMatchObject({ made: 1, failed: 1 })
    await desk.later(24 * 60 + 1)
    expect(await desk.run()).toMatchObject({ made: 1, failed: 1 })
    expect(await stateOf(customer)).toMatchObject({ on: false, off_reason: 'failures', charged_usd: 0 })
    expect(
      (await desk.letters(customer)).map(({ data }) => [data['event'], data['reason'], data['is_off']]),
    ).toEqual([
      ['failed', 'insufficient_funds', false],
      ['failed', 'declined', false],
      ['failed', 'insufficient_funds', true],
    ])
    expect((await invoicesOf(customer)).map(({ state }) => state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    await desk.switchOn(customer)
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
  })

  it('of an expired card switches it off; of a revoked permission removes the method', async () => {
    const expired = await withTopUp()
    await desk.use(expired.accountId, half + 1n)
    desk.stripe.saved.bank.push('expired_card')
    await desk.run()
    expect(await stateOf(expired)).toMatchObject({ on: false, off_reason: 'card_expired' })
    const revoked = await withTopUp({}, 'yookassa')
    await desk.use(revoked.accountId, half + 1n)
    desk.yookassa.bank.push('permission_revoked')
    await desk.run()
    expect(await revoked.call('get_top_ups', {})).toMatchObject({
      saved: [],
      pools: [{ on: false, off_reason: 'permission_revoked', last: { reason: 'permission_revoked' } }],
    })
  })

  it.each(['card', 'yookassa'] as const)(
    'by %s is the shop’s fault when the processor denies access: it is not counted, is reported to the operator, and is retried',
    async (method) => {
      const customer = await withTopUp({}, method === 'card' ? undefined : method)
      await desk.use(customer.accountId, half + 1n)
      const fake = method === 'card' ? desk.stripe : desk.yookassa
      for (const status of [401, 403, 401, 401]) {
        fake.trouble(status)
        expect(await desk.run()).toMatchObject({ made: 1, failed: 1 })
        expect(await desk.run()).toMatchObject({ made: 0 })
        await desk.later(61)
      }
      expect(await stateOf(customer)).toMatchObject({
        on: true,
        last: { state: 'failed', reason: 'shop_denied' },
      })
      expect(await desk.letters(customer)).toEqual([])
      const { database, clock } = desk.shop
      const told = async () => {
        const { secrets } = desk.deps
        const deps = { secrets, pinned: {}, hasOwnDatabase: true, collecting: [] }
        const needs = await findNeeds(database, deps, { now: clock.now, most: 9 })
        return needs.find(({ kind }) => kind === 'processor_denied')?.subjects.map(({ key }) => key)
      }
      expect(await told()).toEqual([method])
      expect(await desk.run()).toMatchObject({ made: 1, succeeded: 1 })
      expect(await told()).toBeUndefined()
      expect(await stateOf(customer)).toMatchObject({ on: true, last: { state: 'succeeded' } })
    },
  )

  it('that was not answered at first is not abandoned because the key is refused later', async () => {
    const customer = await withTopUp({}, 'yookassa')
    await desk.use(customer.accountId, half + 1n)
    desk.yookassa.trouble('lost', 401, 401)
    expect(await desk.run()).toMatchObject({ made: 1, failed: 0 })
    await desk.later(5)
    expect(await desk.run()).toMatchObject({ made: 0, failed: 0 })
    desk.yookassa.calm()
    await desk.later(5)
    expect(await desk.run()).toMatchObject({ made: 0, succeeded: 1 })
  })

  it('that requires the customer becomes a page for the same invoice', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    desk.stripe.saved.bank.push('authentication_required')
    expect(await desk.run()).toMatchObject({ made: 1, succeeded: 0, failed: 0 })
    const state = await stateOf(customer)
    expect(state).toMatchObject({ on: true, last: { state: 'awaiting_customer' } })
    expect(intents().at(-1)?.status).toBe('canceled')
    const [letter] = await desk.letters(customer)
    expect(letter).toMatchObject({
      template: 'top_up',
      data: { event: 'authentication', url: state?.last?.payment_url },
    })
    await desk.later(1)
    expect(await desk.run()).toMatchObject({ made: 0 })
    desk.stripe.pay([...desk.stripe.sessions.keys()].at(-1) ?? '')
    await desk.later(2)
    expect(await desk.run()).toMatchObject({ succeeded: 1 })
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid', number: state?.last?.invoice }])
  })

  it('that the customer completes while it is given up succeeds', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    desk.stripe.saved.bank.push('authentication_required')
    await desk.run()
    await desk.later(24 * 60)
    await desk.letters(customer)
    const client = await desk.shop.database.pool.connect()
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `top-ups of ${customer.accountId}`,
    ])
    const run = desk.run()
    await oneWaitsForLock(db)
    desk.stripe.pay([...desk.stripe.sessions.keys()].at(-1) ?? '')
    const { clock, database } = desk.shop
    await reconcileInvoices(database, desk.deps, new Date(clock.now.getTime() + 3_600_000))
    expect(await invoicesOf(customer)).toMatchObject([{ state: 'paid' }])
    await client.query('commit')
    client.release()
    expect(await run).toMatchObject({ failed: 0 })
    await desk.later(5)
    expect(await desk.run()).toMatchObject({ succeeded: 1, failed: 0 })
    expect(await stateOf(customer)).toMatchObject({ on: true, last: { state: 'succeeded' } })
    const events = (await desk.letters(customer)).map(({ data }) => data['event'])
    expect(events).not.toContain('failed')
  })

  it('that the customer does not complete counts as failed', async () => {
    const customer = await withTopUp()
    await desk.use(customer.accountId, half + 1n)
    desk.stripe.saved.bank.push('authentication_required')
    await desk.run()
    await desk.later(24 * 60)
    expect(await desk.run()).toMatchObject({ failed: 1 })
    expect(await stateOf(customer)).toMatchObject({
      last: { state: 'failed', reason: 'authentication_required' },
    })
  })
})

describe('what is set', () => {
  it('must buy at least the threshold, and have a bound for one charge', async () => {
    const customer = await desk.customer()
    const id = await desk.save(customer)
    const wish = {
      pool: 'residential',
      method_id: id,
      below_bytes: 2_000_000_000,
      gb: 2,
      month_usd: 7,
    } as const
    const codeOf = async (change: object) =>
      (await refusalOf(customer.call('top_up_consent', { ...wish, ...change }))).code
    expect(await codeOf({ gb: 1 })).toBe('top_up_too_small')
    expect(await codeOf({ month_usd: 6.99 })).toBe('top_up_bound_too_low')
    expect(await codeOf({ method_id: '999' })).toBe('saved_method_not_found')
    expect(await codeOf({ below_bytes: 5 })).toBe('invalid_byte_cap')
    const stale = customer.call('set_top_up', { ...wish, consent: 'a'.repeat(64) })
    expect((await refusalOf(stale)).code).toBe('consent_outdated')
    const { sha256 } = await customer.call('top_up_consent', wish)
    await setPrice(db, 'residential', 3_400_000n)
    const changed = customer.call('set_top_up', { ...wish, consent: sha256 })
    expect((await refusalOf(changed)).code).toBe('consent_outdated')
    await setPrice(db, 'residential', 3_500_000n)
    expect((await customer.call('set_top_up', { ...wish, consent: sha256 })).pools).toMatchObject([
      { on: true, gb: 2, month_usd: 7 },
    ])
  })

  it('is switched off by one call, which ends the consent', async () => {
    const customer = await withTopUp()
    expect((await customer.call('switch_off_top_up', { pool: 'residential' })).pools).toMatchObject([
      { on: false, off_reason: 'customer' },
    ])
    const { rows } = await sql<{ ended_by: string }>`
      select ended_by from top_up_consent where kind = 'top_up' and account_id = ${customer.accountId}`.execute(
      db,
    )
    expect(rows).toEqual([{ ended_by: 'customer' }])
    await desk.use(customer.accountId, half + 1n)
    expect(await desk.run()).toMatchObject({ made: 0 })
  })
})

it('a charge by YooKassa carries its fiscal receipt', async () => {
  const till = await topUpShop({ env: { RECEIPTS: 'yookassa', RECEIPTS_VAT_CODE: '1' } })
  try {
    till.yookassa.fiscalises = true
    const customer = await till.customer()
    await till.save(customer, 'yookassa')
    await till.switchOn(customer)
    await till.use(customer.accountId, half + 1n)
    expect(await till.run()).toMatchObject({ made: 1, succeeded: 1 })
    expect([...till.yookassa.receipts.values()].at(-1)).toMatchObject({
      type: 'payment',
      customer: { email: customer.email },
    })
  } finally {
    await till.close()
  }
})
