import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { transaction } from '#db'
import { changeLimits } from '#limits'
import { addToUser, deleteUser, type ProxyUser, userById } from '#proxy-users'
import { testDatabase } from '#test/database'
import { customerWith, line, newBoot, wrongInBooks } from '#test/traffic'
import { newUser, userSecrets } from '#test/users'
import {
  expireLeases,
  lease,
  pruneLeases,
  releaseReserves,
  returnReserves,
  settle,
  takeTraffic,
  usageDays,
  usedByUsers,
  userReserve,
  verifyTraffic,
} from '#traffic'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const mb = 1_000_000n
const now = new Date('2026-05-17T12:00:00Z')

const give = (user: ProxyUser, bytes: bigint) =>
  transaction(database.db, (tx) =>
    addToUser(tx, user, {
      bytes,
      reference: null,
      usedBytes: () => Promise.reject(new Error('a reserve is not measured by its use')),
      reserve: userReserve,
    }),
  )
const remove = (user: ProxyUser) =>
  transaction(database.db, (tx) => deleteUser(tx, { secrets: userSecrets, reserve: userReserve }, user))
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  )
const totalOf = async ({ id }: ProxyUser) => (await userById(database.db, id))?.totalBytes
const usedOf = async ({ id }: ProxyUser) =>
  (await usedByUsers(database.db, [id], { now, zone: 'UTC' })).get(id)?.totalBytes ?? 0n

async function owner(traffic: { paid?: bigint; bonus?: bigint }, reserved: bigint) {
  const who = await customerWith(database.db, traffic)
  const user = await newUser(database.db, who.accessId, { isReserved: true, totalBytes: reserved })
  return { ...who, user }
}

async function leased(boot: ReturnType<typeof newBoot>, access: bigint, bytes: bigint) {
  const grant = await lease(database.db, boot, { access, want_bytes: bytes }, { now })
  return { ...grant, bytes: grant.granted_bytes }
}

const sound = async () => expect(await wrongInBooks(database.db)).toEqual([])

describe('traffic reserved for a proxy user', () => {
  it('is taken from the free traffic, bonus first, and returns to the parts from which it came', async () => {
    const { user, balance } = await owner({ paid: 10n * mb, bonus: 3n * mb }, 5n * mb)
    const held = { paid: 8n * mb, bonus: 0n, total: 8n * mb, reserved: 5n * mb, reservedPaid: 2n * mb }
    expect(await balance()).toEqual(held)
    await give(user, -4n * mb)
    // What was bought returns first, because bonus is spent first.
    expect(await balance()).toMatchObject({ paid: 10n * mb, bonus: 2n * mb, reserved: mb, reservedPaid: 0n })
    await remove(user)
    expect(await balance()).toMatchObject({ paid: 10n * mb, bonus: 3n * mb, reserved: 0n })
    await sound()
  })

  it('is never more than is free, however many reserve at once, and leases of the balance stay covered', async () => {
    const { user, balance, accessId } = await owner({ paid: 10n * mb }, 0n)
    const boot = newBoot()
    const parent = await leased(boot, accessId, 2n * mb)
    const racers = await Promise.all(Array.from({ length: 6 }, () => refusal(give(user, 3n * mb))))
    const done = racers.filter((end) => end === 'done').length
    expect(BigInt(done)).toBe((10n * mb - parent.bytes) / (3n * mb))
    expect(racers.filter((end) => end !== 'done')).toEqual(
      Array.from({ length: 6 - done }, () => 'reserve_not_covered'),
    )
    expect(await balance()).toMatchObject({ reserved: BigInt(done) * 3n * mb })
    await settle(database.db, [boot.report([line(parent.lease, accessId, parent.bytes, { close: true })])])
    await sound()
  })

  it('is leased and charged by itself, also when the account has nothing left, to the last byte', async () => {
    const { user, balance, accountId, accessId } = await owner({ paid: mb, bonus: mb }, 2n * mb)
    expect((await balance())?.total).toBe(0n)
    const boot = newBoot()
    expect((await leased(boot, accessId, mb)).bytes).toBe(0n)
    let spent = 0n
    for (let round = 0; round < 100 && spent < 2n * mb; round++) {
      const grant = await leased(boot, user.id, mb)
      await settle(database.db, [
        boot.report([line(grant.lease, user.id, grant.bytes, { exit: 3n, relayed_bytes: grant.bytes })]),
      ])
      spent += grant.bytes
    }
    expect(spent).toBe(2n * mb)
    const end = await leased(boot, user.id, mb)
    expect(end).toMatchObject({ granted_bytes: 0n, capped: 'user_total' })
    expect(await usedOf(user)).toBe(2n * mb)
    const day = '2026-05-17'
    expect(
      await usageDays(database.db, { accountId, pool: 'residential', from: day, to: day }),
    ).toMatchObject([{ chargedBytes: 2n * mb, bonusBytes: mb }])
    expect(await balance()).toMatchObject({ total: 0n, reserved: 0n })
    await sound()
  })

  it('that gateways hold is not taken, and returns after a deletion once no lease is open', async () => {
    const { user, balance } = await owner({ paid: 10n * mb }, 4n * mb)
    const [one, two] = [newBoot('gw1'), newBoot('gw2')]
    const [first, second] = [await leased(one, user.id, mb), await leased(two, user.id, mb)]
    expect(first.bytes > 0n && second.bytes > 0n).toBe(true)
    expect(await refusal(give(user, -4n * mb))).toBe('user_has_less')
    await give(user, first.bytes + second.bytes - 4n * mb)
    expect(await totalOf(user)).toBe(first.bytes + second.bytes)
    await remove(user)
    expect((await leased(one, user.id, mb)).bytes).toBe(0n)
    expect(await returnReserves(database.db)).toBe(0)
    await settle(database.db, [one.report([line(first.lease, user.id, 1000n, { close: true })])])
    expect(await returnReserves(database.db)).toBe(0)
    await settle(database.db, [two.report([line(second.lease, user.id, 500n, { close: true })])])
    await sound()
    expect(await returnReserves(database.db)).toBe(1)
    expect(await balance()).toMatchObject({ total: 10n * mb - 1500n, reserved: 0n })
    expect(await usedOf(user)).toBe(1500n)
    await sound()
  })

  it('is charged for a late report of a lost lease, as far as it is left; the house bears the rest', async () => {
    const { user, balance } = await owner({ paid: 10n * mb }, 2n * mb)
    const boot = newBoot('gw-lost')
    const held = await leased(boot, user.id, mb)
    await expireLeases(database.db, { silentMinutes: 0 })
    await remove(user)
    await returnReserves(database.db)
    expect(await balance()).toMatchObject({ total: 10n * mb, reserved: 0n })
    await settle(database.db, [boot.report([line(held.lease, user.id, 700n)])])
    expect(await balance()).toMatchObject({ total: 10n * mb })
    const other = await owner({ paid: 10n * mb }, 2n * mb)
    const kept = await leased(boot, other.user.id, mb)
    await expireLeases(database.db, { silentMinutes: 0 })
    await settle(database.db, [boot.report([line(kept.lease, other.user.id, 700n)])])
    expect(await usedOf(other.user)).toBe(700n)
    expect(await other.balance()).toMatchObject({ reserved: 2n * mb - 700n })
    await sound()
  })

  it('is within the caps of its account, together with the balance', async () => {
    const { user, accessId } = await owner({ paid: 20n * mb }, 10n * mb)
    await changeLimits(database.db, { id: accessId, login: 'someone' }, { hourBytes: 3n * mb })
    const boot = newBoot()
    const parent = await leased(boot, accessId, 2n * mb)
    const grant = await leased(boot, user.id, 10n * mb)
    expect(parent.bytes + grant.bytes <= 3n * mb).toBe(true)
    const lines = [line(parent.lease, accessId, parent.bytes), line(grant.lease, user.id, grant.bytes)]
    await settle(database.db, [boot.report(lines, { at_ms: now.getTime() })])
    for (const access of [user.id, accessId])
      for (let round = 0; round < 60; round++) {
        const more = await leased(boot, access, 10n * mb)
        if (more.bytes === 0n) break
        await settle(database.db, [
          boot.report([line(more.lease, access, more.bytes)], { at_ms: now.getTime() }),
        ])
      }
    expect((await leased(boot, user.id, mb)).capped).toBe('hour')
    const { rows } = await sql<{ bytes: bigint }>`
      select sum(charged_bytes)::bigint as bytes from usage_hour where access_id = ${accessId}`.execute(
      database.db,
    )
    expect(rows[0]?.bytes).toBe(3n * mb)
    await sound()
  })

  it('returns from the newest proxy user for a refund, after the free traffic', async () => {
    const { user, accountId, accessId, balance } = await owner({ paid: 10n * mb }, 3n * mb)
    const newest = await newUser(database.db, accessId, { isReserved: true, totalBytes: 2n * mb })
    const pool = 'residential'
    const released = await transaction(database.db, (tx) =>
      releaseReserves(tx, { accountId, pool, bytes: 4n * mb }),
    )
    expect([released, await totalOf(newest), await totalOf(user)]).toEqual([4n * mb, 0n, mb])
    expect(await balance()).toMatchObject({ total: 9n * mb, reserved: mb })
    await transaction(database.db, (tx) =>
      takeTraffic(tx, 9n * mb, {
        accountId,
        pool,
        kind: 'refund',
        reference: `reserve ${accountId}`,
        postings: async () => [],
      }),
    )
    await sound()
  })

  it('stays in the books after its leases are pruned, and a wrong sum is found', async () => {
    const { user, accessId } = await owner({ paid: 10n * mb }, 3n * mb)
    const boot = newBoot()
    const held = await leased(boot, user.id, mb)
    await settle(database.db, [boot.report([line(held.lease, user.id, 9n, { close: true })])])
    await sql`update lease set opened_at = now() - interval '20 days', closed_at = now() - interval '20 days' where closed_at is not null`.execute(
      database.db,
    )
    await pruneLeases(database.db)
    await sound()
    const forge = (bytes: bigint) =>
      sql`update proxy_user set total_bytes = total_bytes + ${bytes} where id = ${user.id}`.execute(
        database.db,
      )
    await forge(1n)
    expect((await verifyTraffic(database.db)).map(({ check, subject }) => [check, subject])).toEqual([
      ['reserve_is_what_proxy_users_have_left', `access ${accessId}`],
      ['proxy_users_stay_within_their_reserves', `proxy user ${user.id}`],
    ])
    await forge(-1n)
    await sound()
  })
})
