/** A shop of some size, written in bulk through the tables: customers with balances, and a month of their usage. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '#db'
import { loadSecretKey } from '#lib/secret'
import { resetPassword } from '#proxies'

export const scalePool = 'residential'
const gbBytes = 1_000_000_000

export interface ScaleShop {
  customers: number
  days: number
  /** Gateway processes that hold a lease of every customer of theirs. */
  gateways: string[]
}

/** What a customer's session is opened with; their number counts from 1. */
const scaleToken = (customer: number) =>
  createHash('sha256').update(`bench ${customer}`).digest('base64url').slice(0, 43)

/** One boot per gateway, of this name. */
export const scaleBoot = 'bench'

/** Fills an empty, migrated database. Every row goes through the same constraints and triggers as in life. */
export async function fillShop({ pool }: Database, shop: ScaleShop): Promise<void> {
  const { customers, days, gateways } = shop
  await pool.query(
    `with made as (
       insert into account (username, username_key, ref_code)
       select 'scale' || n, 'scale' || n, 'sc' || n from generate_series(1, $1::int) n order by n returning id
     ), logins as (
       insert into proxy_login (account_id, login) select id, 'scale' || id from made returning account_id, login
     )
     insert into subuser (account_id, pool, login, password_sealed, password_sha256)
     select account_id, $2, login, '\\x00', sha256(login::bytea) from logins order by account_id`,
    [customers, scalePool],
  )
  await pool.query(
    `insert into ledger_account (kind, currency, user_id, pool, balance)
     select kind, 'byte', account_id, $1, 0 from subuser, unnest('{traffic_bonus,traffic_paid}'::text[]) kind
     union all select kind, 'byte', null, $1, null from unnest('{traffic_sold,traffic_used}'::text[]) kind`,
    [scalePool],
  )
  await pool.query(
    `insert into meter (subuser_id, account_id, pool, bonus_account, paid_account)
     select s.id, s.account_id, s.pool, b.id, p.id from subuser s
     join ledger_account b on b.user_id = s.account_id and b.kind = 'traffic_bonus'
     join ledger_account p on p.user_id = s.account_id and p.kind = 'traffic_paid'
     order by s.id`,
  )
  await postForAll(
    { pool },
    { kind: 'bench_credit', reference: 'credit', house: 'traffic_sold', bytes: 100 * gbBytes },
  )
  for (let day = 1; day <= days; day++) await spendForAll({ pool }, day)
  await pool.query(`insert into gateway_boot (gateway, boot) select unnest($1::text[]), $2`, [
    gateways,
    scaleBoot,
  ])
  // Each gateway has its own share of the customers, as a balancer in front of them would make it.
  await pool.query(
    `insert into lease (subuser_id, gateway, boot, granted_bytes)
     select subuser_id, ($1::text[])[1 + subuser_id % $3], $2, $4 from meter order by subuser_id`,
    [gateways, scaleBoot, gateways.length, 40 * gbBytes],
  )
  await pool.query('vacuum analyze')
}

type Pool = Pick<Database, 'pool'>

/** One ledger transaction that gives or takes the same of every customer. */
async function postForAll(
  { pool }: Pool,
  { kind, reference, house, bytes }: { kind: string; reference: string; house: string; bytes: number },
): Promise<void> {
  await pool.query(
    `with posted as (
       insert into ledger_transaction (kind, reference) values ($1, $2) returning id
     ), others as (
       select count(*) as customers from meter
     )
     insert into ledger_entry (transaction_id, account_id, amount)
     select posted.id, paid_account, $4::bigint from posted, meter
     union all
     select posted.id, a.id, -$4::bigint * customers from posted, others, ledger_account a
     where a.kind = $3 and a.user_id is null`,
    [kind, reference, house, bytes],
  )
}

/** A day of a month ago until yesterday: everybody used 50 MB. */
async function spendForAll({ pool }: Pool, daysAgo: number): Promise<void> {
  const bytes = 50_000_000
  await postForAll(
    { pool },
    { kind: 'usage', reference: `bench ${daysAgo}`, house: 'traffic_used', bytes: -bytes },
  )
  await pool.query(
    `insert into usage_day (subuser_id, day, charged_bytes, requests)
     select subuser_id, (now() at time zone 'utc')::date - $1::int, $2, 200 from meter`,
    [daysAgo, bytes],
  )
}

/**
 * Signs some customers in, spread over all of them, and gives each a proxy password that can be shown again, which the
 * rows made in bulk have not; answers their tokens.
 */
export async function openSessions(
  { database: { db }, dataDir, size }: { database: Pick<Database, 'db'>; dataDir: string; size: ScaleShop },
  count: number,
): Promise<string[]> {
  const chosen = Array.from({ length: count }, (_, index) => 1 + Math.floor((index * size.customers) / count))
  const tokens = chosen.map(scaleToken)
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
  const { rows } = await sql<{ account_id: bigint }>`
    insert into session (token_sha256, account_id, expires_at)
    select hash, a.id, now() + interval '30 days'
    from unnest(${hashes}::bytea[], ${chosen.map((customer) => `scale${customer}`)}::text[]) as s(hash, name)
    join account a on a.username = s.name
    returning account_id`.execute(db)
  // The key in DATA_DIR is the one that the web server will find there.
  const secrets = loadSecretKey({ secretKey: null, dataDir })
  for (const { account_id: accountId } of rows)
    await resetPassword(db, secrets, { accountId, pool: scalePool })
  return tokens
}
