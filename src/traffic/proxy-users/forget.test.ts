import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { addToPool, deleteUser, deleteUsers, userById, userOf } from '#proxy-users'
import { ensureAccess } from '#proxies'
import { testDatabase } from '#test/database'
import { customerWith, newBoot, wrongInBooks } from '#test/traffic'
import { anySettings, newUser, userSecrets } from '#test/users'
import { forgetDeletedUsers, lease, openMeter, returnReserves, settle, userReserve } from '#traffic'

let database: Database
let db: Database['db']
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const deps = { secrets: userSecrets, reserve: userReserve }
const afterMonths = (count: number) => {
  const at = new Date()
  at.setUTCMonth(at.getUTCMonth() + count)
  return at
}
const forget = (months: number, rest: { months?: number; recordDays?: number } = {}) =>
  forgetDeletedUsers(db, { now: afterMonths(months), months: 13, recordDays: 30, ...rest })

/** What tables still have of these proxy users. */
async function left(ids: readonly bigint[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select 'user' as name from proxy_user where id = any(${ids.map(String)}::bigint[])
    union all select 'metadata' from proxy_user_metadata m join proxy_user u using (access_id, nr)
      where u.id = any(${ids.map(String)}::bigint[])
    union all select 'use' from proxy_user_use where proxy_user_id = any(${ids.map(String)}::bigint[])
    union all select 'day' from proxy_user_day where proxy_user_id = any(${ids.map(String)}::bigint[])`.execute(
    db,
  )
  return rows.map(({ name }) => name).toSorted()
}

/** A gateway that uses so many bytes of a proxy user; it gives its lease back, unless it keeps it. */
async function use(accessId: bigint, user: bigint, bytes: bigint, close = true) {
  const boot = newBoot(`forget-${user}`)
  const held = await lease(db, boot, { access: user, want_bytes: bytes })
  const line = { lease: held.lease, access: user, charged_bytes: bytes, requests: 1, close }
  await settle(db, [boot.report([line], { at_ms: Date.now() })])
  return { accessId, boot, held }
}

it('deleted proxy users are kept for the months of the setting, and at least as long as records of connections', async () => {
  const { accessId } = await customerWith(db, { paid: 1_000_000n })
  const user = await newUser(db, accessId, {
    metadata: { plan: 'basic' },
    isReserved: true,
    totalBytes: 70_000n,
  })
  const alive = await newUser(db, accessId, { isReserved: true, totalBytes: 9n })
  await use(accessId, user.id, 500n)
  await transaction(db, (tx) => deleteUser(tx, deps, user))
  expect(await left([user.id])).toEqual(['day', 'metadata', 'use', 'user'])
  expect(await forget(12)).toBe(0)
  expect(await forget(14, { recordDays: 500 })).toBe(0)
  expect(await forget(1000, { months: 0 })).toBe(0)
  expect(await forget(14)).toBe(1)
  expect(await left([user.id])).toEqual([])
  expect(await userById(db, user.id)).toBeNull()
  expect((await userOf(db, alive)).id).toBe(alive.id)
  expect(await wrongInBooks(db)).toEqual([])
  // Its number is not used again.
  expect((await newUser(db, accessId)).nr).toBe(3n)
})

it('deleted proxy users stay while their login is used in another pool, and are deleted together', async () => {
  const { accessId, accountId } = await customerWith(db, { paid: 1_000_000n })
  const mobile = await ensureAccess(db, userSecrets, { accountId, pool: 'mobile' })
  await openMeter(db, { accountId, pool: 'mobile', accessId: mobile.id })
  const user = await newUser(db, accessId)
  const there = await transaction(db, (tx) =>
    addToPool(tx, userSecrets, user, {
      accessId: mobile.id,
      settings: anySettings,
      most: 10,
      reserve: userReserve,
    }),
  )
  await transaction(db, (tx) => deleteUser(tx, deps, user))
  expect(await forget(14)).toBe(0)
  await transaction(db, (tx) => deleteUser(tx, deps, there))
  expect(await forget(14)).toBe(2)
  expect(await left([user.id, there.id])).toEqual([])
})

it('deleted proxy users stay until their whole reserve has returned', async () => {
  const { accessId, balance } = await customerWith(db, { paid: 1_000_000n })
  const user = await newUser(db, accessId, { isReserved: true, totalBytes: 100_000n })
  const { boot, held } = await use(accessId, user.id, 300n, false)
  await transaction(db, (tx) => deleteUser(tx, deps, user))
  expect(await forget(14)).toBe(0)
  const line = { lease: held.lease, access: user.id, charged_bytes: 0n, requests: 0, close: true }
  await settle(db, [boot.report([line], { at_ms: Date.now() })])
  await returnReserves(db)
  expect(await forget(14)).toBe(1)
  expect((await balance())?.total).toBe(1_000_000n - 300n)
  expect(await wrongInBooks(db)).toEqual([])
})

it('deleted proxy users go in many transactions when there are many', async () => {
  const { accessId } = await customerWith(db, {})
  await sql`
    insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256)
    select ${accessId}, nr, 'old.' || nr, 'old ' || nr, '', sha256('x') from generate_series(1, 2500) nr`.execute(
    db,
  )
  const numbers = Array.from({ length: 2500 }, (_, index) => BigInt(index + 1))
  await sql`update access set proxy_users = 2500, last_proxy_user = 2500 where id = ${accessId}`.execute(db)
  await transaction(db, (tx) => deleteUsers(tx, deps, { accessId, numbers }))
  expect(await forget(14)).toBe(2500)
})
