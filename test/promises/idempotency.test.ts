import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { customer as accountOf, house, post } from '#ledger'
import { createCode } from '#promo'
import { type App, app, type Customer, refusalOf } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

/** A customer with a referral balance. */
async function richCustomer(micros = 100_000_000n): Promise<Customer & { accountId: bigint }> {
  const customer = await shop.customer()
  const { id: accountId } = await shop.database.db
    .selectFrom('account')
    .select('id')
    .where('username', '=', customer.username)
    .executeTakeFirstOrThrow()
  await post(shop.database.db, {
    kind: 'test_shares',
    reference: customer.username,
    postings: [
      { account: house.referralCost(), amount: -micros },
      { account: accountOf.referral(accountId), amount: micros },
    ],
  })
  return { ...customer, accountId }
}

const held = async ({ call }: Customer, pool: 'datacenter' | 'mobile') => {
  const [profile] = await call('legacy_profile', {})
  return bytesFromWire(profile?.[pool].balance ?? 0)
}

/** Simulates a kill, this many seconds ago, between the work and the recording of its answer. */
const forgetAnswers = (seconds: number) =>
  shop.database.pool.query(
    `update idempotency_key set status = null, answer_sealed = null,
      claimed_at = now() - make_interval(secs => $1)`,
    [seconds],
  )

const gb = 1_000_000_000n
const payment = { amount: 1, pool: 'datacenter' } as const
const order = { payment_method: 'sandbox', amount: 1, pool: 'residential' } as const

describe('P2: one key does its work once', () => {
  it('for fifty concurrent calls, with the same answer to all later ones', async () => {
    const rich = await richCustomer()
    const options = { idempotencyKey: 'k' }
    const ends = await Promise.all(
      Array.from({ length: 50 }, () =>
        rich.call('referral_payment', payment, options).catch((error: { code: string }) => error.code),
      ),
    )
    expect(ends.filter((end) => end !== 'idempotency_key_busy').every((end) => typeof end === 'object')).toBe(
      true,
    )
    expect(await rich.call('referral_payment', payment, options)).toEqual({ ok: true })
    expect(await held(rich, 'datacenter')).toBe(gb)
  })

  it('and with another body is refused', async () => {
    const rich = await richCustomer()
    await rich.call('referral_payment', payment, { idempotencyKey: 'k' })
    const other = rich.call('referral_payment', { ...payment, amount: 2 }, { idempotencyKey: 'k' })
    expect(await refusalOf(other)).toMatchObject({ code: 'idempotency_key_reused', status: 409 })
    expect(await held(rich, 'datacenter')).toBe(gb)
  })

  it('although the process was killed before it could answer: one payment from the referral balance', async () => {
    const rich = await richCustomer(1_000_000n)
    const options = { idempotencyKey: 'k' }
    await rich.call('referral_payment', payment, options)
    await forgetAnswers(10)
    // The balance does not cover a second one: a repetition of the work would be refused.
    expect(await rich.call('referral_payment', payment, options)).toEqual({ ok: true })
    expect(await held(rich, 'datacenter')).toBe(gb)
  })

  it('although the process was killed: one invoice, with the page of the first', async () => {
    const rich = await richCustomer()
    const options = { idempotencyKey: 'k' }
    const url = await rich.call('create_invoice_web', order, options)
    await forgetAnswers(10)
    expect(await rich.call('create_invoice_web', order, options)).toBe(url)
    // As after an earlier kill: the invoice is written, the processor has not answered.
    await shop.database.pool.query(
      'update invoice set external_id = null, payment_url = null where settled_at is null',
    )
    await forgetAnswers(10)
    expect(await rich.call('create_invoice_web', order, options)).toBe(url)
    const { rows } = await shop.database.pool.query('select from invoice where account_id = $1', [
      rich.accountId,
    ])
    expect(rows).toHaveLength(1)
  })

  it('although the process was killed: a traffic code credited once, with the same answer', async () => {
    const rich = await richCustomer()
    const grant = { kind: 'traffic' as const, pool: 'mobile' as const, bytes: 5000n }
    await createCode(shop.database.db, { code: 'ONLYONCE', grant, maxUses: 9n, expiresAt: null })
    const given = await rich.call('activate_traffic_promocode', { code: 'ONLYONCE' }, { idempotencyKey: 'k' })
    await forgetAnswers(10)
    const again = await rich.call('activate_traffic_promocode', { code: 'ONLYONCE' }, { idempotencyKey: 'k' })
    expect(again).toEqual(given)
    const other = rich.call('activate_traffic_promocode', { code: 'ONLYONCE' }, { idempotencyKey: 'l' })
    expect(await refusalOf(other)).toMatchObject({ code: 'promocode_used' })
    expect(await held(rich, 'mobile')).toBe(5000n)
  })

  it('is not taken over from a process that has just renewed its claim', async () => {
    const rich = await richCustomer()
    await rich.call('referral_payment', payment, { idempotencyKey: 'k' })
    await forgetAnswers(1)
    const early = rich.call('referral_payment', payment, { idempotencyKey: 'k' })
    expect(await refusalOf(early)).toMatchObject({ code: 'idempotency_key_busy', status: 409 })
  })

  it('is released by a refused call', async () => {
    const rich = await richCustomer(100_000n)
    const poor = rich.call('referral_payment', payment, { idempotencyKey: 'k' })
    expect(await refusalOf(poor)).toMatchObject({ code: 'insufficient_referral_balance' })
    await post(shop.database.db, {
      kind: 'test_shares',
      reference: `${rich.username} later`,
      postings: [
        { account: house.referralCost(), amount: -1_000_000n },
        { account: accountOf.referral(rich.accountId), amount: 1_000_000n },
      ],
    })
    expect(await rich.call('referral_payment', payment, { idempotencyKey: 'k' })).toEqual({ ok: true })
  })
})
