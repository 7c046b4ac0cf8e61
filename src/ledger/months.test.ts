import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, missingMonths, transaction } from '#db'
import { testDatabase } from '#test/database'
import { aroundTheRules, moveBack, untilHourLasts } from '#test/ledger'
import { newAccount } from '#test/people'
import {
  archiveMonth,
  balancesOfUser,
  closeMonths,
  customer,
  house,
  LedgerFault,
  makeLedgerMonths,
  openAccounts,
  post,
  postUsage,
  verifyArchive,
  verifyLedger,
} from './ledger.ts'

let database: Database
let db: Database['db']
let folder: string
let references = 0

beforeEach(async () => {
  database = await testDatabase()
  db = database.db
  folder = await mkdtemp(path.join(tmpdir(), 'turnpike-ledger-'))
  await untilHourLasts(database, 20)
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

/** Posts a sale, and the use of a part of it. */
async function trade(customerId: bigint, { sold, used }: { sold: bigint; used: bigint }): Promise<void> {
  const keys = [customer.trafficBonus(customerId, 'mobile'), customer.trafficPaid(customerId, 'mobile')]
  const [first = 0n, second = 0n] = await openAccounts(db, keys)
  await post(db, {
    kind: 'test',
    // Characters that COPY escapes.
    reference: `odd \\ reference\t${++references}\n`,
    postings: [
      { account: house.cash('sandbox'), amount: sold },
      { account: house.sales(), amount: -sold },
      { account: house.trafficSold('mobile'), amount: -sold },
      { account: customer.trafficPaid(customerId, 'mobile'), amount: sold },
    ],
  })
  await transaction(db, (tx) => postUsage(tx, [{ first, second, amount: used }]))
}

const paidOf = async (customerId: bigint) =>
  (await balancesOfUser(db, customerId)).find(({ kind }) => kind === 'traffic_paid')?.balance

/** The month so many months ago, YYYY-MM. */
async function monthAgo(months: number): Promise<string> {
  const { rows } = await sql<{ month: string }>`
    select to_char(month_of(now() - make_interval(months => ${months}::int)), 'YYYY-MM') as month`.execute(db)
  return rows[0]?.month ?? ''
}

/** Two customers with sales two months ago, one month ago and now. */
async function threeMonths(): Promise<[bigint, bigint]> {
  const customers: [bigint, bigint] = [await newAccount(db), await newAccount(db)]
  for (const used of [10n, 20n, 30n]) {
    if (used > 10n) await moveBack(database, 1)
    for (const customerId of customers) await trade(customerId, { sold: 100n, used: used + customerId })
  }
  return customers
}

const checks = async (options: { full?: boolean } = {}) =>
  (await verifyLedger(db, options)).map(({ check, subject }) => `${check} of ${subject}`)

describe('months of the ledger', () => {
  it('are closed in order when they are over, and their sums replace their entries', async () => {
    const [user] = await threeMonths()
    const [first, second] = [await monthAgo(2), await monthAgo(1)]
    expect(await verifyLedger(db)).toEqual([])
    expect(await closeMonths(db)).toEqual([first, second])
    expect(await closeMonths(db)).toEqual([])
    expect(await checks()).toEqual([])
    expect(await checks({ full: true })).toEqual([])
    await trade(user, { sold: 1n, used: 2n })
    expect(await paidOf(user)).toBe(300n - 60n - 3n * user - 1n)
    expect(await checks({ full: true })).toEqual([])
    const { rows } = await sql<{ sum: bigint; used: bigint }>`
      select sum(amount)::bigint as sum, sum(used_bytes)::bigint as used from ledger_month_sum`.execute(db)
    // Both sides of all postings, except those of the present month, which is not closed.
    expect(rows).toEqual([{ sum: 0n, used: 2n * 30n + 2n * (user + user + 1n) }])
  })

  it('are closed during settlements and purchases', async () => {
    const [user, other] = await threeMonths()
    let isOver = false
    const busy = Promise.all(
      [user, other].map(async (who) => {
        while (!isOver) await trade(who, { sold: 2n, used: 1n })
      }),
    )
    expect(await closeMonths(db)).toHaveLength(2)
    for (let times = 0; times < 5; times++) expect(await checks({ full: true })).toEqual([])
    isOver = true
    await busy
    expect(await checks({ full: true })).toEqual([])
  })

  it('are not closed before they are over, out of order, or with open hours', async () => {
    const user = await newAccount(db)
    await trade(user, { sold: 10n, used: 1n })
    expect(await closeMonths(db)).toEqual([])
    const close = (month: string) =>
      sql`insert into ledger_month (month) values (${`${month}-01`}::date)`.execute(db)
    await expect(close(await monthAgo(0))).rejects.toMatchObject({ constraint: 'ledger_month_is_next' })
    await moveBack(database, 2)
    await expect(close(await monthAgo(2))).rejects.toMatchObject({
      constraint: 'ledger_month_has_open_hours',
    })
    expect(await closeMonths(db)).toEqual([await monthAgo(2), await monthAgo(1)])
    await expect(close(await monthAgo(1))).rejects.toMatchObject({ constraint: 'ledger_month_is_next' })
    await expect(close(await monthAgo(-1))).rejects.toMatchObject({ constraint: 'ledger_month_is_next' })
    for (const text of [
      'update ledger_month_sum set amount = 0',
      'delete from ledger_month_digest',
      'truncate ledger_month cascade',
    ])
      await expect(sql.raw(text).execute(db)).rejects.toThrow('append-only')
  })

  it('stay closed when the clock goes back into them', async () => {
    const user = await newAccount(db)
    await trade(user, { sold: 10n, used: 1n })
    // Simulates the correction of a clock that was ahead: the present month is closed already.
    const month = await monthAgo(0)
    await aroundTheRules(
      database,
      `insert into ledger_month (month) values ('${month}-01');
       insert into ledger_usage select open_hour, account_id, open_bytes from ledger_balance where open_bytes > 0;
       insert into ledger_usage_unsummed select hour, account_id from ledger_usage;
       update ledger_balance set open_hour = (month_of(now()) + interval '1 month') at time zone 'UTC', open_bytes = 0
         where open_bytes > 0`,
    )
    expect(await closeMonths(db)).toEqual([month])
    const late = await newAccount(db)
    for (const who of [user, late]) await trade(who, { sold: 10n, used: 2n })
    expect(await checks({ full: true })).toEqual([])
    const { rows } = await sql<{ month: string }>`
      select distinct to_char(month_of(open_hour), 'YYYY-MM') as month from ledger_balance where open_bytes > 0
      union select to_char(max(month), 'YYYY-MM') from ledger_entry`.execute(db)
    expect(rows).toEqual([{ month: await monthAgo(-1) }])
  })

  it('accept no transaction with their month', async () => {
    await threeMonths()
    const [month] = await closeMonths(db)
    const late = (moment: string) =>
      transaction(db, async (tx) => {
        const { rows } = await sql<{ id: bigint }>`
          insert into ledger_transaction (kind, reference, month) values ('test', ${moment}, ${moment}::date) returning id`.execute(
          tx,
        )
        await sql`
          insert into ledger_entry (month, transaction_id, account_id, amount)
          select ${moment}::date, ${rows[0]?.id}, id, case kind when 'traffic_sold' then -1 else 1 end from ledger_account
          where kind = 'traffic_sold' or id = (select min(id) from ledger_account where kind = 'traffic_paid')`.execute(
          tx,
        )
      })
    for (const text of [`${month}-01`, `${await monthAgo(-1)}-01`])
      await expect(late(text)).rejects.toMatchObject({ constraint: 'ledger_transaction_is_closed' })
    await late(`${await monthAgo(0)}-01`)
    expect(await checks({ full: true })).toEqual([])
  })

  it('are not verified while they do not sum to zero', async () => {
    const user = await newAccount(db)
    await trade(user, { sold: 10n, used: 1n })
    await moveBack(database, 1)
    const one = `where account_id = (select id from ledger_account where kind = 'sales')`
    await aroundTheRules(database, `update ledger_entry set amount = amount - 1 ${one}`)
    await expect(closeMonths(db)).rejects.toThrow(/does not add up: transaction/)
    expect(await checks()).toEqual([expect.stringContaining('transaction_sums_to_zero')])
    await aroundTheRules(database, `update ledger_entry set amount = amount + 1 ${one}`)
    expect(await closeMonths(db)).toEqual([await monthAgo(1)])
  })
})

describe('tampering with a closed month', () => {
  const paid = `(select id from ledger_account where kind = 'traffic_paid' order by id limit 1)`

  it.each([
    [
      'all amounts of a transaction doubled',
      `update ledger_entry set amount = amount * 2 where transaction_id = (select min(transaction_id) from ledger_entry);
       update ledger_balance set balance = balance + 100 where account_id = ${paid}`,
    ],
    ['a deleted hour', `delete from ledger_usage where hour = (select min(hour) from ledger_usage)`],
    [
      'a reduced hour',
      `update ledger_usage set bytes = bytes - 1 where hour = (select min(hour) from ledger_usage)`,
    ],
    [
      'an hour moved to another account',
      `update ledger_usage set account_id = account_id + 1000
       where (hour, account_id) = (select max(hour), max(account_id) from ledger_usage)`,
    ],
    [
      'another reference',
      `update ledger_transaction set reference = 'mine' where id = (select min(id) from ledger_transaction)`,
    ],
    [
      'another time',
      `update ledger_transaction set posted_at = posted_at + interval '1 s' where id = (select min(id) from ledger_transaction)`,
    ],
    [
      'an added transaction',
      `insert into ledger_transaction (kind, reference, month) select 'test', 'late', min(month) from ledger_month`,
    ],
  ])('is found by a full verification: %s', async (_what, text) => {
    await threeMonths()
    await closeMonths(db)
    await aroundTheRules(database, text)
    expect(await checks({ full: true })).toContainEqual(
      expect.stringMatching(/^closed_month_is_unchanged of month /),
    )
  })

  it.each([
    ['its sums', `update ledger_month_sum set amount = amount + 1 where account_id = ${paid}`],
    [
      'its sums on both sides, and the digest of them',
      `update ledger_month_sum set amount = amount - 1 where month = (select min(month) from ledger_month)
         and account_id in (select id from ledger_account where kind in ('traffic_paid') order by id limit 1);
       update ledger_month_sum set amount = amount + 1 where month = (select min(month) from ledger_month)
         and account_id in (select id from ledger_account where kind = 'traffic_used')`,
    ],
    [
      'its digest',
      `update ledger_month_digest set entries = sha256('') where month = (select max(month) from ledger_month)`,
    ],
    [
      'the month before it',
      `delete from ledger_month_digest where month = (select min(month) from ledger_month)`,
    ],
  ])('is found by every verification when it changes %s', async (_what, text) => {
    await threeMonths()
    await closeMonths(db)
    await aroundTheRules(database, text)
    expect(await checks()).toContainEqual(expect.stringMatching(/^closed_month_is_unchanged of month /))
  })
})

describe('a month in a file', () => {
  it('contains the rows that were closed, and balances are verified without it', async () => {
    const [user] = await threeMonths()
    const before = await paidOf(user)
    const [first, second] = [await monthAgo(2), await monthAgo(1)]
    const { file, bytes } = await archiveMonth(database, { month: first, folder })
    expect(path.basename(file)).toBe(`turnpike-ledger-${first}.gz`)
    expect(bytes).toBe((await readFile(file)).length)
    expect(await verifyArchive(db, file)).toEqual([])
    expect(await checks({ full: true })).toEqual([])
    await archiveMonth(database, { month: second, folder })
    expect(await checks({ full: true })).toEqual([])
    const { rows } = await sql<{
      month: string
    }>`select distinct month_of(hour) as month from ledger_usage`.execute(db)
    expect(rows).toEqual([])
    expect(await paidOf(user)).toBe(before)
    await trade(user, { sold: 5n, used: 6n })
    expect(await checks()).toEqual([])
    await aroundTheRules(database, `update ledger_balance set balance = balance + 1 where balance > 0`)
    expect(await checks()).toContainEqual(expect.stringContaining('balance_is_the_sum_of_entries'))
  })

  it('is refused while the month is open, when it is archived already, and when nothing was posted in it', async () => {
    await threeMonths()
    const archive = async (months: number) =>
      archiveMonth(database, { month: await monthAgo(months), folder })
    await expect(archive(0)).rejects.toThrow(LedgerFault)
    await expect(archive(-1)).rejects.toThrow('is not a closed month')
    await expect(archive(3)).rejects.toThrow('is not a closed month')
    await expect(
      archiveMonth(database, { month: await monthAgo(2), folder: path.join(folder, 'nowhere') }),
    ).rejects.toThrow('There is no folder')
    await archive(2)
    await expect(archive(2)).rejects.toThrow('is archived already')
    expect(await checks({ full: true })).toEqual([])
  })

  it('stays in the database when it has changed since it was closed', async () => {
    await threeMonths()
    await closeMonths(db)
    await aroundTheRules(
      database,
      `update ledger_usage set bytes = bytes - 1 where hour = (select min(hour) from ledger_usage)`,
    )
    const month = await monthAgo(2)
    await expect(archiveMonth(database, { month, folder })).rejects.toThrow(`${month} stays where it is`)
    const { rows } = await sql<{ n: bigint }>`select count(*) as n from ledger_usage`.execute(db)
    expect(rows[0]?.n).toBeGreaterThan(0n)
  })

  it('is refused when the file was changed, truncated, or is not an archive', async () => {
    const [user] = await threeMonths()
    const { file } = await archiveMonth(database, { month: await monthAgo(2), folder })
    const text = gunzipSync(await readFile(file)).toString()
    const lines = text.split('\n')
    const write = (content: string) => writeFile(file, gzipSync(content))
    const usage = lines.findIndex((line) => line.endsWith(`\t${10n + user}`))
    expect(usage).toBeGreaterThan(0)
    await write(lines.with(usage, String(lines[usage]).replace(/\d+$/, '9')).join('\n'))
    const findings = await verifyArchive(db, file)
    expect(findings.map(({ detail }) => detail).join()).toContain('its usage (2 rows) are not those')
    await write(lines.toSpliced(usage, 1).join('\n'))
    await expect(verifyArchive(db, file)).rejects.toThrow(LedgerFault)
    await write(lines.toSpliced(usage + 1).join('\n'))
    await expect(verifyArchive(db, file)).rejects.toThrow('ends too early')
    await write(lines.with(usage, 'x\ty\tz').join('\n'))
    await expect(verifyArchive(db, file)).rejects.toThrow('is no archive')
    await write(text.replace(/"chain":"../, '"chain":"zz'))
    await expect(verifyArchive(db, file)).rejects.toThrow('another ledger')
    await writeFile(file, gzipSync(text).subarray(0, 100))
    await expect(verifyArchive(db, file)).rejects.toThrow(LedgerFault)
    await writeFile(file, 'no archive at all')
    await expect(verifyArchive(db, file)).rejects.toThrow('is no archive')
    await expect(verifyArchive(db, folder)).rejects.toThrow('is no archive')
    await expect(verifyArchive(db, `${file}.gone`)).rejects.toThrow('There is no file')
    await write(text)
    expect(await verifyArchive(db, file)).toEqual([])
  })
})

describe('a partition that was not created in time', () => {
  it('prevents no posting, and gets its rows from the default partition when it is created', async () => {
    const month = (await monthAgo(0)).replace('-', '_')
    for (const table of ['ledger_entry', 'ledger_usage'])
      await sql`drop table ${sql.table(`${table}_${month}`)}`.execute(db)
    expect(await missingMonths(db, 'ledger_entry')).toEqual([`${await monthAgo(0)}-01`])
    const user = await newAccount(db)
    await trade(user, { sold: 10n, used: 1n })
    await aroundTheRules(
      database,
      `insert into ledger_usage select open_hour - interval '1 hour', account_id, open_bytes from ledger_balance where open_bytes > 0;
       insert into ledger_usage_unsummed select hour, account_id from ledger_usage;
       update ledger_balance set balance = balance - open_bytes where open_bytes > 0`,
    )
    expect(await checks()).toEqual([])
    const rows = async () =>
      (
        await sql<{ rest: bigint; month: bigint }>`
          select (select count(*) from ledger_entry_rest) + (select count(*) from ledger_usage_rest) as rest,
            (select count(*) from ledger_entry) + (select count(*) from ledger_usage) as month`.execute(db)
      ).rows[0]
    expect(await rows()).toEqual({ rest: 5n, month: 5n })
    let isOver = false
    const busy = (async () => {
      while (!isOver) await trade(user, { sold: 2n, used: 1n })
    })()
    expect(await makeLedgerMonths(db)).toBeGreaterThanOrEqual(2)
    isOver = true
    await busy
    expect((await rows())?.rest).toBe(0n)
    expect(await missingMonths(db, 'ledger_entry')).toEqual([])
    expect(await makeLedgerMonths(db)).toBe(0)
    expect(await checks()).toEqual([])
    for (const text of [
      `delete from ledger_entry_${month}`,
      `update ledger_usage_${month} set bytes = 1`,
      'delete from ledger_entry_rest',
    ])
      await expect(sql.raw(text).execute(db)).rejects.toThrow('append-only')
  })
})
