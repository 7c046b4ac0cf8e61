/**
 * A shop of a given size, inserted in bulk into the tables: customers with balances, and a month of their
 * usage.
 */
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
  /** Gateway processes that hold leases of all their customers. */
  gateways: string[]
}

/** The token of a customer's session; customers are numbered from 1. */
const scaleToken = (customer: number) =>
  createHash('sha256').update(`bench ${customer}`).digest('base64url').slice(0, 43)

/** The name of each gateway's only boot. */
export const scaleBoot = 'bench'

/**
 * Fills an empty, migrated database; only the usage of earlier days is written without the ledger's triggers.
 */
export async function fillShop({ pool }: Database, shop: ScaleShop): Promise<void> {
  const { customers, days, gateways } = shop
  await pool.query(
    `with made as (
       insert into account (username, username_key, ref_code)
       select 'scale' || n, 'scale' || n, 'sc' || n from generate_series(1, $1::int) n order by n returning id
     ), logins as (
       insert into proxy_login (account_id, login) select id, 'scale' || id from made returning account_id, login
     )
     insert into access (account_id, pool, login, password_sealed, password_sha256)
     select account_id, $2, login, '\\x00', sha256(login::bytea) from logins order by account_id`,
    [customers, scalePool],
  )
  await pool.query(
    `insert into ledger_account (kind, currency, customer_id, pool)
     select kind, 'byte', account_id, $1 from access, unnest('{traffic_bonus,traffic_paid}'::text[]) kind
     union all select kind, 'byte', null, $1 from unnest('{traffic_sold,traffic_used}'::text[]) kind`,
    [scalePool],
  )
  await pool.query(
    `insert into meter (access_id, account_id, pool, bonus_account, paid_account)
     select s.id, s.account_id, s.pool, b.id, p.id from access s
     join ledger_account b on b.customer_id = s.account_id and b.kind = 'traffic_bonus'
     join ledger_account p on p.customer_id = s.account_id and p.kind = 'traffic_paid'
     order by s.id`,
  )
  await creditAll({ pool }, 100 * gbBytes)
  await spendDays({ pool }, days)
  await pool.query(`insert into gateway_boot (gateway, boot) select unnest($1::text[]), $2`, [
    gateways,
    scaleBoot,
  ])
  // Each gateway has its own share of the customers, as behind a load balancer.
  await pool.query(
    `insert into lease (access_id, gateway, boot, granted_bytes)
     select access_id, ($1::text[])[1 + access_id % $3], $2, $4 from meter order by access_id`,
    [gateways, scaleBoot, gateways.length, 40 * gbBytes],
  )
  await pool.query('vacuum analyze')
}

type Pool = Pick<Database, 'pool'>

/** One ledger transaction that credits every customer with the same amount. */
async function creditAll({ pool }: Pool, bytes: number): Promise<void> {
  await pool.query(
    `with posted as (
       insert into ledger_transaction (kind, reference) values ('bench_credit', 'credit') returning id
     ), others as (
       select count(*) as customers from meter
     )
     insert into ledger_entry (transaction_id, account_id, amount)
     select posted.id, paid_account, $1::bigint from posted, meter
     union all
     select posted.id, a.id, -$1::bigint * customers from posted, others, ledger_account a
     where a.kind = 'traffic_sold' and a.customer_id is null`,
    [bytes],
  )
}

/**
 * The usage from a month ago until yesterday, for customers who are active an hour a day, from half past to
 * half past, so that each day is two hours of the ledger and of the usage, and one day total. The triggers
 * accept the current hour only, so they are bypassed here; the books are verified afterwards.
 */
async function spendDays({ pool }: Pool, days: number): Promise<void> {
  const bytesAnHour = 25_000_000
  const spent = 2 * days * bytesAnHour
  const tables = ['ledger_usage', 'usage_hour', 'usage_past_day']
  for (const table of tables)
    await pool.query(
      `select make_month_partition($1, month) from (
         select distinct month_of(now() - make_interval(days => n)) as month from generate_series(1, $2::int) n) m`,
      [table, days],
    )
  await withoutTriggers({ pool }, ['ledger_usage', 'ledger_balance'], async () => {
    for (let day = days; day >= 1; day--) {
      const hours = `(
        select access_id, paid_account,
          date_trunc('day', now(), 'UTC') - make_interval(days => ${day}) + make_interval(hours => (access_id % 23)::int + n) as hour
        from generate_series(0, 1) n, meter
      ) one`
      await pool.query(
        `insert into ledger_usage select hour, paid_account, ${bytesAnHour} from ${hours} order by 1, 2`,
      )
      await pool.query(
        `insert into usage_hour (hour, access_id, exit_id, charged_bytes, relayed_bytes, requests, in_day)
         select hour, access_id, 1 + access_id % 20, ${bytesAnHour}, ${bytesAnHour}, 100, true from ${hours} order by 1, 2`,
      )
      await pool.query(
        `insert into usage_past_day (day, access_id, charged_bytes, requests)
         select (now() at time zone 'UTC')::date - ${day}, access_id, ${2 * bytesAnHour}, 200 from meter order by access_id`,
      )
    }
    await pool.query(
      `insert into usage_sum
       select hour, pool, exit_id, sum(charged_bytes), sum(bonus_bytes), sum(relayed_bytes), sum(requests)
       from usage_hour join meter using (access_id) where in_day group by 1, 2, 3 order by 1, 2, 3`,
    )
    await pool.query(
      `insert into ledger_usage_sum (hour, kind, pool, bytes)
       select u.hour, a.kind, a.pool, sum(u.bytes) from ledger_usage u join ledger_account a on a.id = u.account_id group by 1, 2, 3`,
    )
    await pool.query(
      `update ledger_balance set balance = balance - ${spent} where account_id in (select paid_account from meter)`,
    )
  })
  await pool.query(`update meter set pruned_bytes = ${spent}`)
  await pool.query(
    `update usage_kept_from set day = (now() at time zone 'UTC')::date - ${days} where relation = 'usage_hour'`,
  )
}

/**
 * Runs `work` without the triggers of these tables and their partitions, and without the trigger that refuses
 * ledger transactions dated in the past, so that the bench can insert past usage.
 */
export async function withoutTriggers(
  { pool }: Pool,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = any($1::text[]::regclass[])
     union all select unnest($1::text[])`,
    [tables],
  )
  const triggers = async (what: 'disable' | 'enable') => {
    for (const { name } of rows) await pool.query(`alter table ${name} ${what} trigger user`)
    await pool.query(`alter table ledger_transaction ${what} trigger past_comes_first`)
  }
  await triggers('disable')
  await work()
  await triggers('enable')
}

/**
 * Signs in `count` customers, spread evenly over all, and gives each a proxy password that can be shown
 * again, which the bulk rows lack. Returns their tokens.
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
  // The web server will use the key in DATA_DIR.
  const secrets = loadSecretKey({ secretKey: null, dataDir })
  for (const { account_id: accountId } of rows)
    await resetPassword(db, secrets, { accountId, pool: scalePool })
  return tokens
}
