/** A database that was made before hours were posted, with entries of that time in it. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, migrate } from '#db'
import { testDatabase } from '#test/database'
import { moveBack, untilHourLasts } from '#test/ledger'
import { line, wrongInBooks } from '#test/traffic'
import { balancesOf, settle, usageDays, usedInWindows, verifyTraffic } from '#traffic'
import { closeMonths, verifyLedger } from './ledger.ts'

const migrations = fileURLToPath(new URL('../../migrations/', import.meta.url))
const pool = 'mobile'

let database: Database
let db: Database['db']
let folder: string

beforeEach(async () => {
  database = await testDatabase()
  db = database.db
  await database.pool.query('drop schema public cascade; create schema public')
  folder = await mkdtemp(path.join(tmpdir(), 'turnpike-before-'))
  const before = (await readdir(migrations)).filter((name) => name.endsWith('.sql') && name < '0040')
  for (const name of before) await cp(path.join(migrations, name), path.join(folder, name))
  await migrate(database, folder)
  await untilHourLasts(database, 20)
}, 60_000)
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

/** Two customers with 1000 B paid and 50 B given, who used 80 B each in settlements of then: 30 B yesterday, 50 B today. */
async function fillAsThen(): Promise<void> {
  const run = (text: string) => database.pool.query(text)
  await run(`
    with made as (insert into account (ref_code) values ('one'), ('two') returning id),
      logins as (insert into proxy_login (account_id, login) select id, 'login' || id from made returning account_id, login)
    insert into subuser (account_id, pool, login, password_sealed, password_sha256)
    select account_id, '${pool}', login, '\\x00', sha256(login::bytea) from logins`)
  await run(`
    insert into ledger_account (kind, currency, user_id, pool, balance)
    select kind, 'byte', account_id, '${pool}', 0 from subuser, unnest('{traffic_bonus,traffic_paid}'::text[]) kind
    union all select kind, 'byte', null, '${pool}', null from unnest('{traffic_sold,traffic_given,traffic_used}'::text[]) kind`)
  await run(`
    insert into meter (subuser_id, account_id, pool, bonus_account, paid_account)
    select s.id, s.account_id, s.pool, b.id, p.id from subuser s
    join ledger_account b on b.user_id = s.account_id and b.kind = 'traffic_bonus'
    join ledger_account p on p.user_id = s.account_id and p.kind = 'traffic_paid'`)
  const post = (
    kind: string,
    reference: string,
    { column, house, bytes }: Record<'column' | 'house' | 'bytes', string>,
  ) =>
    run(`
      with posted as (insert into ledger_transaction (kind, reference) values ('${kind}', '${reference}') returning id)
      insert into ledger_entry (transaction_id, account_id, amount)
      select posted.id, ${column}, ${bytes} from posted, meter
      union all select posted.id, a.id, -2 * (${bytes}) from posted, ledger_account a
      where a.user_id is null and a.kind = 'traffic_${house}'`)
  await post('purchase', '1', { column: 'paid_account', house: 'sold', bytes: '1000' })
  await post('promo', '1', { column: 'bonus_account', house: 'given', bytes: '50' })
  await post('usage', 'gw b 1', { column: 'bonus_account', house: 'used', bytes: '-30' })
  await post('usage', 'gw b 2', { column: 'bonus_account', house: 'used', bytes: '-20' })
  await post('usage', 'gw b 3', { column: 'paid_account', house: 'used', bytes: '-30' })
  await run(`
    insert into gateway_boot (gateway, boot, settled_through) values ('gw', 'b', 3);
    insert into lease (subuser_id, gateway, boot, granted_bytes, charged_bytes) select subuser_id, 'gw', 'b', 500, 80 from meter;
    insert into usage_day (subuser_id, day, charged_bytes, bonus_bytes, requests)
      select subuser_id, (now() at time zone 'UTC')::date - 1, 30, 30, 3 from meter
      union all select subuser_id, (now() at time zone 'UTC')::date, 50, 20, 5 from meter;
    insert into usage_hour (subuser_id, hour, charged_bytes)
      select subuser_id, date_trunc('hour', now(), 'UTC'), 50 from meter limit 1`)
}

const entries = async () =>
  (
    await database.pool.query(`
      select t.kind, t.reference, a.kind as account, a.user_id, e.amount from ledger_entry e
      join ledger_transaction t on t.id = e.transaction_id join ledger_account a on a.id = e.account_id
      order by t.id, a.id`)
  ).rows

it('keeps its entries as they are, and posts by the hour from then on', async () => {
  await fillAsThen()
  const before = await entries()
  expect(before).toHaveLength(15)
  expect(await migrate(database)).toEqual(expect.arrayContaining(['0041_ledger_hours.sql']))
  expect(await entries()).toEqual(before)
  expect(await wrongInBooks(db)).toEqual([])
  const { rows } = await database.pool.query<{ subuser_id: bigint; account_id: bigint; lease: bigint }>(
    'select m.subuser_id, m.account_id, l.id as lease from meter m join lease l using (subuser_id) order by 1',
  )
  const [one, two] = rows
  if (one === undefined || two === undefined) throw new Error('nobody is there')
  const nowMs = Date.now()
  await settle(db, [
    {
      gateway: 'gw',
      boot: 'b',
      sequence: 4,
      at_ms: nowMs,
      lines: rows.map(({ lease, subuser_id }) => line(lease, subuser_id, 100n, { requests: 2 })),
    },
  ])
  for (const { account_id: accountId } of rows)
    expect((await balancesOf(db, accountId)).get(pool)).toEqual({ paid: 870n, bonus: 0n, total: 870n })
  expect(await entries()).toEqual(before)
  const day = (back: number) => new Date(nowMs - back * 86_400_000).toISOString().slice(0, 10)
  expect(await usageDays(db, { accountId: one.account_id, pool, from: day(1), to: day(0) })).toEqual([
    { day: day(1), chargedBytes: 30n, bonusBytes: 30n, requests: 3n },
    { day: day(0), chargedBytes: 150n, bonusBytes: 20n, requests: 7n },
  ])
  // Hours of those with limits go on; the others' begin here.
  const used = (subuserId: bigint) => usedInWindows(db, { subuserId, now: new Date(nowMs) })
  expect(await used(one.subuser_id)).toMatchObject({ hourBytes: 150n, dayBytes: 150n })
  expect(await used(two.subuser_id)).toMatchObject({ hourBytes: 100n, dayBytes: 150n })
  expect(await wrongInBooks(db)).toEqual([])
})

it('closes months that have entries of both kinds', async () => {
  await fillAsThen()
  await database.pool.query(`
    alter table ledger_transaction disable trigger user;
    update ledger_transaction set posted_at = posted_at - interval '3 months' where kind <> 'usage' or reference = 'gw b 1';
    alter table ledger_transaction enable trigger user`)
  await migrate(database)
  const { rows } = await sql<{ name: string; n: bigint }>`
    select tableoid::regclass::text as name, count(*) as n from ledger_entry group by 1 order by 1`.execute(
    db,
  )
  expect(rows.map(({ n }) => n)).toEqual([9n, 6n])
  expect(rows.every(({ name }) => /^ledger_entry_\d{4}_\d\d$/.test(name))).toBe(true)
  await moveBack(database, 1)
  expect(await wrongInBooks(db)).toEqual([])
  expect(await closeMonths(db)).toHaveLength(4)
  expect(await verifyLedger(db, { full: true })).toEqual([])
  expect(await verifyTraffic(db, { full: true })).toEqual([])
})

it('keeps entries that have lost their transaction, for them to be found', async () => {
  await fillAsThen()
  await database.pool.query(`
    alter table ledger_transaction disable trigger user;
    delete from ledger_transaction where kind = 'promo';
    alter table ledger_transaction enable trigger user`)
  const before = await database.pool.query(
    'select transaction_id, account_id, amount from ledger_entry order by 1, 2',
  )
  await migrate(database)
  const after = await database.pool.query(
    'select transaction_id, account_id, amount from ledger_entry order by 1, 2',
  )
  expect(after.rows).toEqual(before.rows)
  expect((await verifyLedger(db)).map(({ check }) => check)).toContain('entry_has_transaction_and_account')
})
