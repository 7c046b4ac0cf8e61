import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { type Desk, desk } from '#test/desk'
import { findAccess } from '#proxies'
import { eraseWithheld } from './requests.ts'

const pool = 'residential'
let shop: App
let office: Desk
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

async function visitor(hosts: readonly string[], address: string | null = '203.0.113.77') {
  const customer = await shop.customer()
  await shop.buy(customer, { pool, gb: 1 })
  const accountId = BigInt(await accountIdOf(customer))
  const access = await findAccess(shop.database.db, { pool, accountId })
  const owner = { accessId: access?.id ?? 0n, accountId, pool } as const
  const keep = () =>
    keepConnections(
      shop.database.db,
      hosts.flatMap((host) => [
        connectionOf(owner, shop.clock.now, { target: `${host}:443`, target_address: address }),
        connectionOf(owner, shop.clock.now, {
          ...refusedWith('exit_failed'),
          target: `${host}:443`,
          sentence: `no way to ${host}`,
        }),
      ]),
      shop.clock.now,
    )
  await keep()
  return { customer, accountId, keep }
}

const hostsOf = async ({ call }: Customer) => {
  const day = shop.clock.now.toISOString().slice(0, 10)
  const { rows } = await call('get_usage', { from: day, to: day, by: 'host' })
  return rows.map((row) => [row.kind, row.target, row.charged_bytes, row.requests])
}
const isErased = async (account: bigint) => {
  const { rows } = await sql<{ erased: boolean }>`
    select erased_at is not null as erased from host_privacy where account_id = ${account}`.execute(
    shop.database.db,
  )
  return rows[0]?.erased
}

it('hosts stored before the customer’s choice are erased from records and sums, without changing totals or other customers', async () => {
  const secrets = Array.from({ length: 40 }, (_, index) => `secret-host-${index}.example`)
  const [one, other] = [await visitor(secrets), await visitor(['public.example'], null)]
  const before = await hostsOf(other.customer)
  const kept = await hostsOf(one.customer)
  await one.customer.call('set_host_privacy', { withholds_hosts: true })
  const { db } = shop.database
  // A run without time left changes nothing; the next run continues.
  expect(await eraseWithheld(db, () => true)).toBe(0)
  expect(await eraseWithheld(db)).toBe(80)
  expect(await eraseWithheld(db)).toBe(0)
  const sum = (rows: unknown[][], column: number) =>
    rows.filter(([kind]) => kind !== 'difference').reduce((all, row) => all + Number(row[column]), 0)
  const after = await hostsOf(one.customer)
  expect(after.filter(([kind]) => kind !== 'difference')).toEqual([['withheld', null, 40_000, 40]])
  expect([sum(after, 2), sum(after, 3)]).toEqual([sum(kept, 2), sum(kept, 3)])
  expect(await hostsOf(other.customer)).toEqual(before)
  const { rows: tables } = await shop.database.pool.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables) {
    const { rows } = await shop.database.pool.query(
      `select from ${name} row where row::text like '%secret-host%' or row::text like '%203.0.113.77%' limit 1`,
    )
    expect(rows, name).toEqual([])
  }
})

it('erasing repeats until concurrent batches are committed, then stops', async () => {
  const { customer, accountId, keep } = await visitor(['late.example'])
  const { db } = shop.database
  await customer.call('set_host_privacy', { withholds_hosts: true })
  await eraseWithheld(db)
  // Simulates a batch that read the customer's choice before it changed.
  await sql`update connection_record set host = 'late.example' where account_id = ${accountId}`.execute(db)
  expect([await isErased(accountId), await eraseWithheld(db)]).toEqual([false, 2])
  await sql`update host_privacy set since = since - interval '11 minutes' where account_id = ${accountId}`.execute(
    db,
  )
  await eraseWithheld(db)
  expect(await isErased(accountId)).toBe(true)
  // A choice that is revoked and made again is processed anew.
  await customer.call('set_host_privacy', { withholds_hosts: false })
  await keep()
  await eraseWithheld(db)
  expect((await hostsOf(customer)).map(([, target]) => target)).toContain('late.example')
  await customer.call('set_host_privacy', { withholds_hosts: true })
  expect([await isErased(accountId), await eraseWithheld(db)]).toEqual([false, 2])
})

it('the desk finds no erased host', async () => {
  const { customer, accountId } = await visitor(['seen.example'])
  const owner = await office.staff('owner')
  const reason = 'a complaint about this host'
  const find = async (filter: object) =>
    (await owner.call('connections', { ...filter, reason })).rows.map(({ target }) => target)
  expect(await find({ host: 'seen.example' })).toEqual(['seen.example:443', 'seen.example:443'])
  await customer.call('set_host_privacy', { withholds_hosts: true })
  await eraseWithheld(shop.database.db)
  expect(await find({ host: 'seen.example' })).toEqual([])
  expect(await find({ customer: String(accountId) })).toEqual(['(withheld)', '(withheld)'])
})
