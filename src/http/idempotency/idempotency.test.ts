/** Repeated calls under an Idempotency-Key, beside those that move money: test/promises/idempotency.test.ts. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { onceOf } from '#contract/call'
import type { CallOptions } from '#contract/client'
import { contract } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import { type Name, wire } from '#contract/wire'
import { countSealed, resealAll } from '#db/sealed'
import { secretsOf } from '#lib/secret'
import { accountIdOf, type App, app, type Customer, refusalOf, testSecretKey } from '#test/app'
import { oneWaitsForLock } from '#test/waiting.statement'
import { forgetOldKeys, sealedAnswers } from './answers.ts'
import { digestOf } from './idempotency.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())
afterEach(() => vi.restoreAllMocks())

const db = () => shop.database.db
const keyed = (idempotencyKey = 'k'): CallOptions => ({ idempotencyKey })
const pool = 'residential' as const
const named = (label: string) => ({ pool, label })

/** A customer with traffic, so that there is a login in the pool. */
async function reseller(): Promise<Customer> {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
  return customer
}
const usersOf = async ({ call }: Customer) => (await call('get_proxy_users', { pool, passwords: true })).users

/** Calls and returns the output, and whether it was replayed. */
async function replayed(customer: Customer, input: ReturnType<typeof named>) {
  const headers: (string | null)[] = []
  const onHeaders = (of: Headers) => void headers.push(of.get('idempotency-replayed'))
  const output = await customer.call('create_proxy_user', input, { ...keyed(), onHeaders })
  return { output, isReplayed: headers[0] === 'true' }
}

describe('the declarations', () => {
  const names = Object.keys(wire) as Name[]

  it('name the changing calls of customers that take no key', () => {
    const changing = names.filter((name) => wire[name].effect !== 'reads' && wire[name].who === 'customer')
    expect(changing.filter((name) => onceOf(wire[name]) === null).toSorted()).toEqual([
      'act_on_account',
      'change_account_password',
      'discount_promocode_info',
      'export_personal_data',
      'new_recovery_codes',
      'passkey_begin',
      'passkey_finish',
      'prove_owner',
      'prove_owner_options',
      'remove_passkey',
      'remove_totp',
      'request_erasure',
      'signout',
      'totp_begin',
      'totp_finish',
    ])
  })

  it.each(names.filter((name) => onceOf(wire[name]) !== null))(
    'let the input of %s be recognised',
    (name) => {
      const input = () => contract[name].input.parse(descriptions[name].input)
      expect(digestOf({ name, input: input() })).toEqual(digestOf({ name, input: input() }))
    },
  )
})

describe('a repeated call', () => {
  it('makes one proxy user, with the same password in the answer, which is stored sealed', async () => {
    const customer = await reseller()
    const first = await replayed(customer, named('one'))
    const second = await replayed(customer, named('one'))
    expect([first.isReplayed, second.isReplayed]).toEqual([false, true])
    expect(second.output).toEqual(first.output)
    expect((await usersOf(customer)).map(({ password }) => password)).toEqual([first.output.password])
    const { rows } = await sql<{ text: string }>`
      select row_to_json(idempotency_key) || encode(answer_sealed, 'escape') as text from idempotency_key
      where account_id = ${await accountIdOf(customer)}::bigint`.execute(db())
    expect(rows).toHaveLength(1)
    expect(rows[0]?.text).not.toContain(first.output.password)
    expect(rows[0]?.text).not.toContain('residential')
  })

  it('is refused with another input or another call, and means nothing for another customer', async () => {
    const [customer, other] = [await reseller(), await reseller()]
    const { number } = await customer.call('create_proxy_user', named('one'), keyed())
    const asked = [
      customer.call('create_proxy_user', named('two'), keyed()),
      customer.call('delete_proxy_user', { pool, number }, keyed()),
    ]
    for (const { code } of await Promise.all(asked.map(refusalOf)))
      expect(code).toBe('idempotency_key_reused')
    await other.call('create_proxy_user', named('two'), keyed())
    expect((await usersOf(customer)).map(({ label }) => label)).toEqual(['one'])
    expect((await usersOf(other)).map(({ label }) => label)).toEqual(['two'])
  })

  it('gets the same answer after the state has changed', async () => {
    const customer = await reseller()
    const { number } = await customer.call('create_proxy_user', named('one'))
    const frozen = await customer.call('freeze_proxy_user', { pool, number, frozen: true }, keyed())
    await customer.call('freeze_proxy_user', { pool, number, frozen: false }, keyed('l'))
    expect(await customer.call('freeze_proxy_user', { pool, number, frozen: true }, keyed())).toEqual(frozen)
    expect((await usersOf(customer))[0]?.frozen).toBe(false)
  })

  it('is executed again after 24 hours, when the stored answer is deleted', async () => {
    const customer = await reseller()
    const id = BigInt(await accountIdOf(customer))
    await customer.call('create_proxy_user', named('one'), keyed('old'))
    await customer.call('create_proxy_user', named('two'), keyed('new'))
    await db()
      .updateTable('idempotency_key')
      .set({ created_at: sql`now() - interval '25 hours'` })
      .where('account_id', '=', id)
      .where('key', '=', 'old')
      .execute()
    const again = customer.call('create_proxy_user', named('one'), keyed('old'))
    expect((await refusalOf(again)).code).toBe('user_label_taken')
    await customer.call('create_proxy_user', named('three'), keyed('older'))
    await db()
      .updateTable('idempotency_key')
      .set({ created_at: sql`now() - interval '25 hours'` })
      .where('key', '=', 'older')
      .execute()
    await forgetOldKeys(db())
    const left = await db().selectFrom('idempotency_key').select('key').where('account_id', '=', id).execute()
    expect(left.map(({ key }) => key)).toEqual(['new'])
  })

  it('needs the proof of the owner again where the answer is a secret', async () => {
    const { call } = await shop.customer()
    const token = await call('reseller_token', {}, keyed())
    expect(await call('reseller_token', {}, keyed())).toBe(token)
    shop.clock.now = new Date(shop.clock.now.getTime() + 11 * 60_000)
    expect((await refusalOf(call('reseller_token', {}, keyed()))).code).toBe('proof_needed')
  })
})

describe('a call that is not completed', () => {
  it('leaves nothing when its answer cannot be stored, and is executed when repeated', async () => {
    const customer = await reseller()
    await sql`create function broken() returns trigger language plpgsql
      as $$ begin raise exception 'the disk is full'; end $$`.execute(db())
    await sql`create trigger broken before update on idempotency_key for each row
      when (new.status is not null) execute function broken()`.execute(db())
    const failed = await refusalOf(customer.call('create_proxy_user', named('one'), keyed()))
    await sql`drop trigger broken on idempotency_key`.execute(db())
    expect(failed.status).toBe(500)
    expect(await usersOf(customer)).toEqual([])
    expect(await replayed(customer, named('one'))).toMatchObject({ isReplayed: false })
    expect(await usersOf(customer)).toHaveLength(1)
  })

  it('changes nothing once another process has taken its key over', async () => {
    const customer = await reseller()
    const id = BigInt(await accountIdOf(customer))
    const lock = await db().startTransaction().execute()
    await sql`select from access where account_id = ${id} for update`.execute(lock)
    const waiting = refusalOf(customer.call('create_proxy_user', named('one'), keyed()))
    await oneWaitsForLock(db())
    await db()
      .updateTable('idempotency_key')
      .set({ claim: 'of another' })
      .where('account_id', '=', id)
      .execute()
    await lock.commit().execute()
    expect((await waiting).code).toBe('idempotency_key_busy')
    expect(await usersOf(customer)).toEqual([])
  })

  it('leaves its key free when it is refused, and is counted as an attempt', async () => {
    const [owner, prober] = [await reseller(), await reseller()]
    const ip = '93.184.216.34'
    const from = (address: string, { token }: Customer) => shop.from(address, 'en', token)
    await from(ip, owner)('add_ip_to_whitelist', { ip, pool })
    const probe = () => refusalOf(prober.call('add_ip_to_whitelist', { ip, pool }, keyed()))
    const codes = new Set<string>()
    for (let n = 0; n < 20; n++) codes.add((await probe()).code)
    expect([...codes]).toEqual(['ip_taken'])
    expect((await probe()).code).toBe('too_many_attempts')
    await prober.call('add_ip_to_whitelist', { ip: '93.184.216.35', pool }, keyed('l')).catch(() => undefined)
    const left = await db()
      .selectFrom('idempotency_key')
      .select('key')
      .where('account_id', '=', BigInt(await accountIdOf(prober)))
      .execute()
    expect(left).toEqual([])
  })
})

describe('admission', () => {
  it('queues and charges a call with a key as one without, and a repetition as a light call', async () => {
    const hasty = await app({ accountPace: { perSecond: 1e-6, atOnce: 40 } })
    try {
      const customer = await hasty.customer()
      await hasty.buy(customer, { pool, gb: 1 })
      const inTurn = vi.spyOn(hasty.services.admission, 'inTurn')
      const users = Array.from({ length: 100 }, (_, n) => ({ label: `user ${n}` }))
      // The order has cost 5 of the 40 tokens, and this costs 5 and one for each 20 users.
      const made = await customer.call('create_proxy_users', { pool, users }, keyed())
      expect(inTurn.mock.calls.map(([call]) => call)).toEqual([wire.create_proxy_users])
      for (let n = 0; n < 10; n++)
        expect(await customer.call('create_proxy_users', { pool, users }, keyed())).toEqual(made)
      expect(inTurn).toHaveBeenCalledOnce()
      for (const key of ['l', 'm']) await customer.call('create_proxy_user', named(key), keyed(key))
      await customer.call('change_language', { code: 'rus' })
      // 4 tokens are left. The refused call takes one of them, and leaves its key free.
      const last = () => refusalOf(customer.call('create_proxy_user', named('n'), keyed('n')))
      expect(await last()).toMatchObject({ code: 'too_many_requests' })
      const { rows } = await sql`select from idempotency_key`.execute(hasty.database.db)
      expect(rows).toHaveLength(3)
    } finally {
      await hasty.close()
    }
  })
})

describe('a stored answer', () => {
  const newKey = 'the next key of the tests, long enough to be one'

  it('is sealed anew when SECRET_KEY is replaced', async () => {
    const customer = await reseller()
    for (const key of ['a', 'B', 'ab', '~!"\'\\'])
      await customer
        .call('freeze_proxy_user', { pool, number: 1, frozen: true }, keyed(key))
        .catch(() => undefined)
    for (const key of ['a', 'B', 'ab', '~!"\'\\'])
      await customer.call('change_language', { code: 'rus' }, keyed(key))
    const both = secretsOf(newKey, testSecretKey)
    const [before] = await countSealed(db(), both, [sealedAnswers])
    expect(before).toMatchObject({ what: 'answers of repeated calls', unopened: 0 })
    expect(before?.all).toBeGreaterThanOrEqual(4)
    expect(before?.old).toBe(before?.all)
    expect((await resealAll(db(), both, [sealedAnswers]))[0]?.resealed).toBe(before?.all)
    const [after] = await countSealed(db(), secretsOf(newKey), [sealedAnswers])
    expect(after).toMatchObject({ all: before?.all, old: 0, unopened: 0 })
    // This shop has the old key only.
    expect((await refusalOf(customer.call('change_language', { code: 'rus' }, keyed('a')))).code).toBe(
      'stored_answer_unreadable',
    )
  })
})
