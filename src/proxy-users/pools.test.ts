/** A proxy user whose login is used in several pools. */
import type { Transaction } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { secretsOf } from '#lib/secret'
import { ensureAccess, findAccess } from '#proxies'
import { type Database, type DB, transaction } from '#db'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import { feedKnowing } from '#test/traffic'
import { anySettings, newUser, userSecrets } from '#test/users'
import { oneWaitsForLock } from '#test/waiting.statement'
import { openMeter, userReserve } from '#traffic'
import {
  addToPool,
  changeUser,
  deleteUser,
  freezeUser,
  freezeUsers,
  type NewUser,
  passwordOf,
  renewPassword,
  type UserKey,
  userOf,
  usersOfLogin,
} from '#proxy-users'

const secrets = secretsOf('a test key of more than thirty-two characters')
let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

/** A customer with two pools, and a proxy user of the first. */
async function customer(settings: Partial<NewUser> = {}) {
  const accountId = await newAccount(db)
  const [one, two] = [
    await ensureAccess(db, secrets, { accountId, pool: 'residential' }),
    await ensureAccess(db, secrets, { accountId, pool: 'mobile' }),
  ]
  await openMeter(db, { accountId, pool: 'residential', accessId: one.id })
  await openMeter(db, { accountId, pool: 'mobile', accessId: two.id })
  const user = await newUser(db, one.id, settings)
  const add = (limits: Partial<NewUser> = {}) =>
    transaction(db, (tx) =>
      addToPool(tx, userSecrets, user, {
        accessId: two.id,
        settings: { ...anySettings, ...limits },
        most: 10,
        reserve: userReserve,
      }),
    )
  return { user, add, accesses: [one.id, two.id] as const }
}

it('a login of several pools has one login, password, name and external id, and limits of its own in each pool', async () => {
  const { user, add } = await customer({ label: 'Anna', externalId: 'a-1', totalBytes: 5n })
  const there = await add({ totalBytes: 7n })
  expect(there).toMatchObject({ login: user.login, label: 'Anna', externalId: 'a-1', totalBytes: 7n })
  expect(passwordOf(userSecrets, there)).toBe(user.password)
  const feed = await feedKnowing(database, { findAccess })
  for (const [pool, one] of [
    ['residential', user],
    ['mobile', there],
  ] as const)
    expect((await feed.account({ login: user.login, pool }))?.access).toBe(one.id)
  expect(await feed.account({ login: user.login, pool: 'datacenter' })).toBeNull()
  await feed.close()
  await expect(add()).rejects.toMatchObject({ code: 'user_in_pool', details: { number: Number(there.nr) } })
})

it('a login of several pools changes in all pools what they have in common, and the rest in one', async () => {
  const { user, add } = await customer({ externalId: 'b-1' })
  const there = await add()
  const act = <T>(work: (tx: Parameters<typeof changeUser>[0]) => Promise<T>) => transaction(db, work)
  await act((tx) => changeUser(tx, there, { label: 'Boris', externalId: 'b-2', dayBytes: 3n }))
  expect(await userOf(db, user)).toMatchObject({ label: 'Boris', externalId: 'b-2', dayBytes: null })
  await act((tx) => freezeUser(tx, user, { isFrozen: true, now: new Date() }))
  expect((await userOf(db, there)).frozenAt).not.toBeNull()
  await act((tx) => freezeUser(tx, there, { isFrozen: false, now: new Date() }))
  expect((await userOf(db, user)).frozenAt).toBeNull()
  const renewed = await act((tx) => renewPassword(tx, userSecrets, there))
  const both = await usersOfLogin(db, user.login)
  expect(both.map((one) => passwordOf(userSecrets, one))).toEqual(
    Array.from({ length: 2 }, () => passwordOf(userSecrets, renewed)),
  )
  expect(both.every(({ passwordSha256 }) => passwordSha256.equals(renewed.passwordSha256))).toBe(true)
  // A name that another one has in either pool is refused, and nothing changes.
  await newUser(db, there.accessId, { label: 'Clara' })
  await expect(act((tx) => changeUser(tx, user, { label: 'clara' }))).rejects.toMatchObject({
    code: 'user_label_taken',
  })
  expect((await userOf(db, there)).label).toBe('Boris')
})

it('a login of several pools is frozen there too when it was frozen before, deleted in one pool, and added again', async () => {
  const { user, add } = await customer()
  await transaction(db, (tx) => freezeUser(tx, user, { isFrozen: true, now: new Date() }))
  const there = await add()
  expect(there.frozenAt).not.toBeNull()
  const remove = (one: typeof there) =>
    transaction(db, (tx) => deleteUser(tx, { secrets: userSecrets, reserve: userReserve }, one))
  await remove(there)
  expect((await userOf(db, user)).passwordSha256.equals(user.passwordSha256)).toBe(true)
  const again = await add()
  expect(again.nr).toBeGreaterThan(there.nr)
  // It stays where it was added when it is deleted where it was made.
  await remove(user)
  expect(passwordOf(userSecrets, await userOf(db, again))).toBe(user.password)
  await expect(add()).rejects.toMatchObject({ code: 'user_not_found' })
})

it('a login of several pools keeps one password under concurrent changes from both pools', async () => {
  const { user, add } = await customer()
  const there = await add()
  await Promise.all(
    [user, there, user, there].map((one) => transaction(db, (tx) => renewPassword(tx, userSecrets, one))),
  )
  const [first, second] = await usersOfLogin(db, user.login)
  expect(first === undefined || second === undefined).toBe(false)
  if (first === undefined || second === undefined) return
  expect(passwordOf(userSecrets, first)).toBe(passwordOf(userSecrets, second))
  expect(first.passwordSha256.equals(second.passwordSha256)).toBe(true)
})

/** Acts while a transaction that gives the proxy user another login is open, which then commits. */
async function whileRenamed<T>(
  { user, there }: { user: UserKey; there: UserKey },
  act: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  const login = `renamed.${++renamed}`
  const renaming = await db.startTransaction().execute()
  await changeUser(renaming, there, {}, { login, secrets: userSecrets })
  const acting = transaction(db, act)
  await oneWaitsForLock(db)
  await renaming.commit().execute()
  const done = await acting
  for (const one of [user, there]) expect((await userOf(db, one)).login).toBe(login)
  return done
}
let renamed = 0

it.each<[string, (tx: Transaction<DB>, user: UserKey) => Promise<unknown>]>([
  ['one', (tx, user) => freezeUser(tx, user, { isFrozen: true, now: new Date() })],
  [
    'many',
    (tx, { accessId, nr }) =>
      freezeUsers(tx, { accessId, numbers: [nr] }, { isFrozen: true, now: new Date() }),
  ],
])('freezes %s in all pools although the login is changed meanwhile', async (_many, freeze) => {
  const { user, add } = await customer()
  const there = await add()
  await whileRenamed({ user, there }, (tx) => freeze(tx, user))
  for (const one of [user, there]) expect((await userOf(db, one)).frozenAt).not.toBeNull()
})

it('renews the password of all pools although the login is changed meanwhile', async () => {
  const { user, add } = await customer()
  const there = await add()
  const renewed = await whileRenamed({ user, there }, (tx) => renewPassword(tx, userSecrets, user))
  for (const one of [user, there])
    expect(passwordOf(userSecrets, await userOf(db, one))).toBe(passwordOf(userSecrets, renewed))
})

it('is added to a pool with the login that it gets meanwhile', async () => {
  const { user, add } = await customer()
  const renaming = await db.startTransaction().execute()
  await changeUser(renaming, user, {}, { login: 'renamed.first', secrets: userSecrets })
  const adding = add()
  await oneWaitsForLock(db)
  await renaming.commit().execute()
  expect((await adding).login).toBe('renamed.first')
})

it('refuses to freeze one that is deleted meanwhile', async () => {
  const { user, add } = await customer()
  await add()
  const deleting = await db.startTransaction().execute()
  await deleteUser(deleting, { secrets: userSecrets, reserve: userReserve }, user)
  const freezing = transaction(db, (tx) => freezeUser(tx, user, { isFrozen: true, now: new Date() })).then(
    () => 'frozen',
    ({ code }: { code: string }) => code,
  )
  await oneWaitsForLock(db)
  await deleting.commit().execute()
  expect(await freezing).toBe('user_not_found')
})
