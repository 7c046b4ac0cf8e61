import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import type { Report } from '#feed'
import { testDatabase } from '#test/database'
import { settle, usageBy, usageDays, verifyTraffic } from './traffic.ts'

/**
 * A shop of which few customers are active at a time, with table statistics older than the reporting boot.
 */
const customers = 600
const active = 20
const holder = { gateway: 'gw', boot: 'new' }
const tables = ['meter', 'lease', 'ledger_balance']

let database: Database
let leases: { id: bigint; access_id: bigint }[] = []
let sequence = 0

beforeAll(async () => {
  database = await testDatabase()
  await fill(database)
  const { rows } = await database.pool.query<{ id: bigint; access_id: bigint }>(
    'select id, access_id from lease order by random() limit $1',
    [active],
  )
  leases = rows
})
afterAll(() => database.close())

/** Creates customers one day ago with leases of an ended boot, then assigns the leases to the new boot. */
async function fill({ pool }: Database): Promise<void> {
  // The hours of today are in a partition.
  const { rows } = await pool.query<{ name: string }>(
    `select 'usage_hour' || to_char(now(), '_YYYY_MM') as name`,
  )
  tables.push(rows[0]?.name ?? '')
  for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  await pool.query(
    `with made as (
       insert into account (ref_code) select 'ref' || n from generate_series(1, $1::int) n returning id
     ), logins as (
       insert into proxy_login (account_id, login) select id, 'login' || id from made returning account_id, login
     )
     insert into access (account_id, pool, login, password_sealed, password_sha256)
     select account_id, 'mobile', login, '\\x00', sha256(login::bytea) from logins`,
    [customers],
  )
  await pool.query(`
    insert into ledger_account (kind, currency, customer_id, pool)
    select kind, 'byte', account_id, 'mobile' from access, unnest('{traffic_bonus,traffic_paid}'::text[]) kind
    union all select 'traffic_sold', 'byte', null, 'mobile'`)
  await pool.query(`
    insert into meter (access_id, account_id, pool, bonus_account, paid_account)
    select s.id, s.account_id, s.pool, b.id, p.id from access s
    join ledger_account b on b.customer_id = s.account_id and b.kind = 'traffic_bonus'
    join ledger_account p on p.customer_id = s.account_id and p.kind = 'traffic_paid'`)
  await pool.query(
    `with posted as (
       insert into ledger_transaction (kind, reference) values ('credit', 'all') returning id
     )
     insert into ledger_entry (transaction_id, account_id, amount)
     select posted.id, paid_account, 1000 from posted, meter
     union all select posted.id, a.id, -1000 * $1::int from posted, ledger_account a where a.customer_id is null`,
    [customers],
  )
  await pool.query(`
    insert into lease (access_id, gateway, boot, granted_bytes, closed_at)
    select access_id, 'gw', 'old', 500, now() from meter`)
  await pool.query(`
    insert into usage_hour (access_id, hour) select access_id, date_trunc('hour', now(), 'UTC') - interval '1 hour' from meter`)
  await pool.query(`analyze ${tables.join(', ')}`)
  await pool.query(`update lease set boot = 'new', closed_at = null`)
  await pool.query(
    `insert into usage_hour (access_id, hour) select access_id, date_trunc('hour', now(), 'UTC') from meter`,
  )
}

const report = (): Report => ({
  ...holder,
  sequence: ++sequence,
  at_ms: Date.now(),
  lines: leases.map(({ id, access_id }) => {
    return { lease: id, access: access_id, charged_bytes: 3n, requests: 1, close: false }
  }),
})

/** The rows that the connection has read so far, by table. */
async function reads(tx: Database['db']): Promise<Record<string, bigint>> {
  const { rows } = await sql<{ relname: string; read: bigint }>`
    select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = any(${tables})`.execute(tx)
  return Object.fromEntries(rows.map(({ relname, read }) => [relname, read]))
}

it('a query reads only the rows of active customers, for any number of customers', async () => {
  await settle(database.db, [report()])
  const read = await transaction(database.db, async (tx) => {
    // Earlier reads of the connection may not be in the statistics yet.
    const before = await reads(tx)
    await settle(tx, [report()])
    const after = await reads(tx)
    return Object.fromEntries(tables.map((table) => [table, (after[table] ?? 0n) - (before[table] ?? 0n)]))
  })
  for (const table of tables) {
    expect(read[table], table).toBeGreaterThanOrEqual(BigInt(active))
    expect(read[table], table).toBeLessThanOrEqual(BigInt(5 * active))
  }
  const { rows } = await database.pool.query<{ charged: bigint }>(
    'select sum(charged_bytes)::bigint as charged from usage_day',
  )
  expect(rows[0]?.charged).toBe(BigInt(2 * 3 * active))
  const wrong = (await verifyTraffic(database.db)).filter(({ check }) => !check.includes('lease'))
  expect(wrong).toEqual([])
})

it('a query reads the hours of one customer for their statistics', async () => {
  // The statistics of the table are of a time when no day was open.
  const hours = tables.at(-1) ?? ''
  await database.pool.query(`update ${hours} set in_day = true`)
  await database.pool.query(`vacuum analyze ${hours}`)
  await database.pool.query(`update ${hours} set in_day = false`)
  const { rows } = await database.pool.query<{ account_id: bigint }>('select account_id from meter limit 1')
  const accountId = rows[0]?.account_id ?? 0n
  const today = new Date().toISOString().slice(0, 10)
  const asked = { accountId, pool: 'mobile', from: today, to: today }
  await transaction(database.db, async (tx) => {
    const before = await reads(tx)
    await usageDays(tx, asked)
    const [by, to] = ['hour' as const, new Date()]
    await usageBy(tx, { by, accountId, from: new Date(to.getTime() - 72 * 3_600_000), to })
    const after = await reads(tx)
    expect(Number((after[hours] ?? 0n) - (before[hours] ?? 0n))).toBeLessThan(20)
  })
})
