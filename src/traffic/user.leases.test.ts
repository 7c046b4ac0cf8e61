import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { feedChannel } from '#feed/announcement'
import { proxyUserId } from '#feed/user.ids'
import { testDatabase } from '#test/database'
import { customerWith, line, newBoot, wrongInBooks } from '#test/traffic'
import { newUser } from '#test/users'
import { lease, pruneLeases, recover, settle } from './traffic.ts'
import { leaseUsers } from './user.leases.ts'

const mb = 1_000_000n

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(async () => {
  expect(await wrongInBooks(db)).toEqual([])
  await database.close()
})

it('leases of a thousand proxy users reserve nothing of the balance, and no query of it reads them', async () => {
  const { accessId } = await customerWith(db, { paid: 10n * mb })
  await sql`
    insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256, total_bytes)
    select ${accessId}, nr, 'u' || translate(lpad(nr::text, 11, '0'), '01', 'bc'), 'many ' || nr, '', sha256('x'),
      case when nr % 2 = 0 then 1000000 end
    from generate_series(1, 1000) nr`.execute(db)
  const holder = newBoot('many')
  const requests = Array.from({ length: 1000 }, (_, index) => ({
    access: proxyUserId(accessId, BigInt(index + 1)),
    want_bytes: 64n * mb,
  }))
  const grants = await leaseUsers(db, holder, requests, {})
  expect(grants.every(({ granted_bytes: bytes }) => bytes > 0n)).toBe(true)
  expect(grants[1]).toMatchObject({ granted_bytes: mb / 2n, elsewhere_bytes: mb / 2n })
  const own = await lease(db, holder, { access: accessId, want_bytes: 64n * mb })
  expect(own).toMatchObject({ granted_bytes: 5n * mb, elsewhere_bytes: 5n * mb })
  await sql`analyze lease`.execute(db)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select from lease where access_id = ${accessId} and proxy_user_id is null and closed_at is null`.execute(
    db,
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
    /lease_open[\s\S]*access_id = .*AND \(proxy_user_id IS NULL/,
  )
})

it('requests of proxy users are answered in their order; those of two accesses, or two of one proxy user, are refused', async () => {
  const [{ accessId }, other] = [await customerWith(db, { paid: mb }), await customerWith(db, { paid: mb })]
  const [limited, unlimited] = [
    await newUser(db, accessId, { totalBytes: 100n }),
    await newUser(db, accessId),
  ]
  const theirs = await newUser(db, other.accessId)
  const ask = (...ids: bigint[]) =>
    leaseUsers(
      db,
      newBoot('order'),
      ids.map((access) => ({ access, want_bytes: mb })),
      {},
    )
  const grants = await ask(limited.id, limited.id + 9n, unlimited.id)
  expect(grants.map(({ granted_bytes: bytes, capped }) => [bytes, capped])).toEqual([
    [100n, undefined],
    [0n, 'user_off'],
    [mb, undefined],
  ])
  expect(() => ask(limited.id, theirs.id)).toThrow('of one access')
  expect(() => ask(limited.id, limited.id)).toThrow('once for each')
})

it('the end of a balance recalls the leases of gateways once, whatever their proxy users hold', async () => {
  const { accessId } = await customerWith(db, { paid: mb })
  const users = await Promise.all([1, 2, 3].map(() => newUser(db, accessId)))
  const [near, far] = [newBoot('storm1'), newBoot('storm2')]
  for (const boot of [near, far])
    await leaseUsers(
      db,
      boot,
      users.map(({ id }) => ({ access: id, want_bytes: mb })),
      {},
    )
  const events: string[] = []
  const unlisten = await database.listen(feedChannel, (payload) => void events.push(payload), {
    onGap: () => undefined,
  })
  await sql`insert into gateway_boot (gateway, boot) values (${far.gateway}, ${far.boot})`.execute(db)
  while ((await lease(db, far, { access: accessId, want_bytes: mb })).granted_bytes > 0n);
  const grant = await lease(db, near, { access: accessId, want_bytes: mb })
  expect(grant).toMatchObject({ granted_bytes: 0n, outstanding: true })
  await expect.poll(() => events).toEqual([`{"type":"lease_recalled","access":"${accessId}"}`])
  await unlisten()
})

it('leases that proxy users gave back are kept for a day, and those that were lost for two weeks', async () => {
  const { accessId } = await customerWith(db, { paid: 10n * mb })
  const user = await newUser(db, accessId)
  const [holder, lost] = [newBoot('kept'), newBoot('lost')]
  const leased = async (boot: typeof holder) => {
    const [own] = await leaseUsers(db, boot, [{ access: user.id, want_bytes: mb }], {})
    const paid = await lease(db, boot, { access: accessId, want_bytes: mb })
    return { its: own?.lease ?? 0n, paid: paid.lease }
  }
  const [returned, gone] = [await leased(holder), await leased(lost)]
  const lines = [
    line(returned.its, user.id, 5n, { close: true }),
    line(returned.paid, accessId, 5n, { close: true }),
  ]
  await settle(db, [holder.report(lines)])
  await recover(db, { gateway: 'lost', boot: 'the next' })
  const age = (days: number) =>
    sql`
      update lease set opened_at = now() - make_interval(days => ${days + 1}), closed_at = now() - make_interval(days => ${days})
      where access_id = ${accessId}`.execute(db)
  const kept = async () =>
    (
      await sql<{ id: bigint }>`select id from lease where access_id = ${accessId} order by id`.execute(db)
    ).rows.map(({ id }) => id)
  await age(2)
  await pruneLeases(db)
  expect(await kept()).toEqual([returned.paid, gone.its, gone.paid])
  // The gateway returns with a report that it had not sent before.
  await settle(db, [lost.report([line(gone.its, user.id, 7n), line(gone.paid, accessId, 7n)])])
  await age(15)
  await pruneLeases(db)
  expect(await kept()).toEqual([])
  expect(await wrongInBooks(db)).toEqual([])
})
