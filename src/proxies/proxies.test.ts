import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Pool } from '#contract/wire'
import { type Database, transaction } from '#db'
import { feedChannel } from '#feed/announcement'
import { type Secrets, secretsOf, sha256 } from '#lib/secret'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import { ensureAccess, findAccess, resetPassword, accessOf, accessesOf } from './proxies.ts'

const secrets = secretsOf('a key of the tests, long enough to be one')
let database: Database
let accountId: bigint

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

beforeEach(async () => {
  const account = await database.db
    .insertInto('account')
    .values({ ref_code: `ref_${Math.random()}` })
    .returning('id')
    .executeTakeFirstOrThrow()
  accountId = account.id
})

const ensure = (pool: Pool) =>
  transaction(database.db, (tx) => ensureAccess(tx, secrets, { accountId, pool }))

describe('access to a pool', () => {
  it('is one login for all pools and a password for each', async () => {
    await ensure('mobile')
    await ensure('residential')
    const [mobile, residential] = await accessesOf(database.db, secrets, accountId)
    expect(mobile?.login).toMatch(/^tp[a-z0-9]{6}$/)
    expect(mobile?.password).toMatch(/^[A-Za-z0-9]{16}$/)
    expect(residential?.login).toBe(mobile?.login)
    expect(residential?.password).not.toBe(mobile?.password)
    expect(await accessOf(database.db, secrets, { accountId, pool: 'residential' })).toEqual(residential)
    expect(await accessOf(database.db, secrets, { accountId, pool: 'datacenter' })).toBeNull()
  })

  it('is created once under concurrent calls', async () => {
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ensure(index % 2 === 0 ? 'mobile' : 'datacenter')),
    )
    expect(new Set(asked.map(({ id }) => id)).size).toBe(2)
    const before = await accessesOf(database.db, secrets, accountId)
    expect(before).toHaveLength(2)
    expect(new Set(before.map(({ login }) => login)).size).toBe(1)
    await ensure('mobile')
    expect(await accessesOf(database.db, secrets, accountId)).toEqual(before)
  })

  it('is created once for a second pool under concurrent calls', async () => {
    for (let round = 0; round < 60; round++) {
      const who = await newAccount(database.db)
      const make = (pool: Pool) =>
        transaction(database.db, (tx) => ensureAccess(tx, secrets, { accountId: who, pool }))
      await make('mobile')
      // The login exists already, so the calls are concurrent at the access itself.
      const asked = await Promise.all(Array.from({ length: 8 }, () => make('datacenter')))
      expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
    }
  })

  it('gets a new password, of which gateways are notified, and the other pools keep theirs', async () => {
    await ensure('mobile')
    await ensure('residential')
    const before = await accessesOf(database.db, secrets, accountId)
    const login = before[0]?.login ?? ''
    const heard: string[] = []
    const end = await database.listen(feedChannel, (payload) => heard.push(payload))
    const password = await resetPassword(database.db, secrets, { accountId, pool: 'mobile' })
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/)
    const after = await accessesOf(database.db, secrets, accountId)
    expect(after).toEqual(before.map((one) => (one.pool === 'mobile' ? { ...one, password } : one)))
    expect(password).not.toBe(before[0]?.password)
    const found = await findAccess(database.db, { login, pool: 'mobile' })
    expect(found?.passwordSha256.equals(sha256(password))).toBe(true)
    expect(await findAccess(database.db, { accountId, pool: 'mobile' })).toEqual(found)
    await expect.poll(() => heard).toContain(JSON.stringify({ type: 'account_changed', login }))
    await end()
  })

  it('that was never granted has no password to renew', async () => {
    await ensure('mobile')
    const renewed = resetPassword(database.db, secrets, { accountId, pool: 'datacenter' })
    await expect(renewed).rejects.toMatchObject({ code: 'no_subuser', status: 409 })
  })

  it('is rolled back with the transaction that granted it', async () => {
    const failing = transaction(database.db, async (tx) => {
      await ensureAccess(tx, secrets, { accountId, pool: 'mobile' })
      throw new Error('no after all')
    })
    await expect(failing).rejects.toThrow('no after all')
    expect(await accessesOf(database.db, secrets, accountId)).toEqual([])
  })

  it('is stored sealed for this account, this pool and this key only', async () => {
    await ensure('mobile')
    await ensure('datacenter')
    const [mobile] = await accessesOf(database.db, secrets, accountId)
    const rows = await database.db
      .selectFrom('access')
      .selectAll()
      .where('account_id', '=', accountId)
      .execute()
    expect(rows.some((row) => row.password_sealed.includes(mobile?.password ?? ''))).toBe(false)
    const other = secretsOf('another key, also long enough to be one')
    const passwords = async (key: Secrets) =>
      (await accessesOf(database.db, key, accountId)).map(({ password }) => password)
    expect(await passwords(other)).toEqual([null, null])
    await database.db
      .updateTable('access')
      .set({ password_sealed: rows.find((row) => row.pool === 'mobile')?.password_sealed ?? Buffer.of() })
      .where('account_id', '=', accountId)
      .where('pool', '=', 'datacenter')
      .execute()
    expect(await passwords(secrets)).toEqual([mobile?.password, null])
  })

  it('is found by login and pool, with the digest and not the password', async () => {
    const { id } = await ensure('mobile')
    const access = await accessOf(database.db, secrets, { accountId, pool: 'mobile' })
    const login = access?.login ?? ''
    expect(await findAccess(database.db, { login, pool: 'mobile' })).toEqual({
      id,
      accountId,
      login,
      pool: 'mobile',
      passwordSha256: sha256(access?.password ?? ''),
      blocked: false,
      hasEnded: false,
    })
    expect(await findAccess(database.db, { login, pool: 'residential' })).toBeNull()
    expect(await findAccess(database.db, { login: 'tpnobody', pool: 'mobile' })).toBeNull()
    await database.db
      .updateTable('account')
      .set({ blocked_at: new Date() })
      .where('id', '=', accountId)
      .execute()
    expect(await findAccess(database.db, { login, pool: 'mobile' })).toMatchObject({ blocked: true })
  })

  it('is announced to the gateways when it is new', async () => {
    const heard = Promise.withResolvers<string>()
    const stop = await database.listen(feedChannel, heard.resolve)
    await ensure('mobile')
    const access = await accessOf(database.db, secrets, { accountId, pool: 'mobile' })
    expect(JSON.parse(await heard.promise)).toEqual({ type: 'account_changed', login: access?.login })
    await stop()
  })

  it('cannot have another customer’s login', async () => {
    await ensure('mobile')
    const [mine] = await accessesOf(database.db, secrets, accountId)
    const theirs = database.db
      .insertInto('account')
      .values({ ref_code: `ref_${Math.random()}` })
      .returning('id')
    const { id } = await theirs.executeTakeFirstOrThrow()
    const insert = database.db.insertInto('access').values({
      account_id: id,
      pool: 'residential',
      login: mine?.login ?? '',
      password_sealed: Buffer.of(1),
      password_sha256: sha256('x'),
    })
    await expect(insert.execute()).rejects.toThrow(/foreign key/)
  })
})
