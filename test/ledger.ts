/** Bypasses the ledger's rules, as a user with full rights on the database could; and changes times. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db'

type Pool = Pick<Database, 'pool'>

const tables = `
  select format('%I', c.relname) as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname like 'ledger\\_%'`

/** Runs SQL, whole statements without parameters, without the ledger's triggers. */
export async function aroundTheRules({ pool }: Pool, text: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(tables)
  const triggers = (what: 'enable' | 'disable') =>
    rows.map(({ name }) => `alter table ${name} ${what} trigger user;`).join('\n')
  await pool.query(`begin; ${triggers('disable')} ${text}; ${triggers('enable')} commit`)
}

/** Moves everything posted so far this many months into the past. */
export async function moveBack(database: Pool, months: number): Promise<void> {
  const back = `make_interval(months => ${months})`
  await aroundTheRules(
    database,
    `update ledger_transaction set month = (month - ${back})::date, posted_at = posted_at - ${back};
     update ledger_entry set month = (month - ${back})::date;
     ${earlier(back)}`,
  )
}

/** Moves all usage this many hours into the past. */
export const hoursLater = (database: Pool, hours: number): Promise<void> =>
  aroundTheRules(database, earlier(`make_interval(hours => ${hours})`))

/** Through separate tables, since hours could otherwise collide with those they are moved to. */
const earlier = (by: string) => `
  create temporary table moved on commit drop as select * from ledger_usage;
  delete from ledger_usage;
  insert into ledger_usage select hour - ${by}, account_id, bytes from moved;
  create temporary table moved_unsummed on commit drop as select * from ledger_usage_unsummed;
  delete from ledger_usage_unsummed;
  insert into ledger_usage_unsummed select hour - ${by}, account_id from moved_unsummed;
  create temporary table moved_sum on commit drop as select * from ledger_usage_sum;
  delete from ledger_usage_sum;
  insert into ledger_usage_sum select hour - ${by}, kind, pool, bytes from moved_sum;
  update ledger_balance set open_hour = open_hour - ${by}`

/** Resolves when at least this much of the database's current hour is left: for tests of the open hour. */
export async function untilHourLasts({ pool }: Pool, seconds: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `select extract(epoch from date_trunc('hour', now(), 'UTC') + interval '1 hour' - now())::float8 as left`,
    )
    const left = rows[0]?.left ?? 0
    if (left >= seconds) return
    await sleep(left * 1000)
  }
}
