import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { dayIn, daysBetween, startOfDay } from '#lib/zone'
import { testDatabase } from '#test/database'
import { aroundTheRules, hoursLater, moveBack, untilHourLasts } from '#test/ledger'
import { newAccount } from '#test/people'
import { sized } from '#test/size'
import {
  addUpPostings,
  archivedIn,
  archiveMonth,
  bookedDays,
  type BookedKind,
  bookedSums,
  closeMonths,
  customer,
  heldAt,
  house,
  makeLedgerMonths,
  openAccounts,
  post,
  type Posting,
  postUsage,
  usedInHours,
  verifyLedger,
} from './ledger.ts'

let database: Database
let db: Database['db']
let references = 0

beforeEach(async () => {
  database = await testDatabase()
  db = database.db
  // Simulates a wrong clock, to which any time is the present.
  await sql`alter table ledger_transaction disable trigger past_comes_first`.execute(db)
})
afterEach(() => database.close())

interface Sale {
  kind: BookedKind
  at: Date
  method: string
  pool: string
  micros: bigint
  spentMicros: bigint
  bytes: bigint
}

/** The postings of a sale. Of shares, what an inviter earns; what they spend is part of a purchase. */
function postingsOf({ kind, method, pool, micros, spentMicros, bytes }: Sale, customerId: bigint): Posting[] {
  const referral = customer.referral(customerId)
  if (kind === 'shares')
    return [
      { account: house.referralCost(), amount: -micros },
      { account: referral, amount: micros },
    ]
  const sign = kind === 'purchase' ? 1n : -1n
  return [
    { account: house.cash(method), amount: sign * micros },
    { account: house.sales(), amount: -sign * micros },
    { account: house.referralSpent(), amount: sign * spentMicros },
    { account: referral, amount: -sign * spentMicros },
    { account: house.trafficSold(pool), amount: -sign * bytes },
    { account: customer.trafficPaid(customerId, pool), amount: sign * bytes },
  ]
}

const kindOf = ({ kind }: Sale) => (kind === 'shares' ? 'share' : kind)

/** Posts a sale at a time that the ledger's clock did not show, as a wrong clock would have. */
async function postAt(sale: Sale, customerId: bigint): Promise<void> {
  const postings = postingsOf(sale, customerId).filter(({ amount }) => amount !== 0n)
  await transaction(db, async (tx) => {
    const accounts = await openAccounts(
      tx,
      postings.map(({ account }) => account),
    )
    await sql`
      with posted as (
        insert into ledger_transaction (kind, reference, posted_at)
        values (${kindOf(sale)}, ${String(++references)}, ${sale.at}) returning id
      )
      insert into ledger_entry (transaction_id, account_id, amount)
      select id, account, amount from posted, unnest(${accounts}::bigint[], ${postings.map(({ amount }) => amount)}::bigint[])
        as entry(account, amount)`.execute(tx)
  })
}

const zones = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Europe/Berlin',
  '+05:21',
]

const firstDay = Date.parse('2026-10-20')
const minuteMs = 60_000
const dayMs = 86_400_000
const dayOf = (index: number) => new Date(firstDay + index * dayMs).toISOString().slice(0, 10)

const sales = fc.record({
  kind: fc.constantFrom<BookedKind>('purchase', 'purchase', 'refund', 'shares'),
  // Around the beginning of a day in one of the zones, and at any time.
  at: fc.oneof(
    fc
      .tuple(fc.constantFrom(...zones), fc.nat(14), fc.integer({ min: -16, max: 16 }))
      .map(([zone, day, minutes]) => new Date(startOfDay(zone, dayOf(day)).getTime() + minutes * minuteMs)),
    fc.nat(14 * dayMs).map((ms) => new Date(firstDay + ms)),
  ),
  method: fc.constantFrom('card', 'crypto'),
  pool: fc.constantFrom('mobile', 'residential'),
  micros: fc.bigInt(1n, 10_000_000n),
  spentMicros: fc.bigInt(0n, 1000n),
  bytes: fc.bigInt(1n, 5_000_000_000n),
})

const period = fc
  .tuple(fc.constantFrom(...zones), fc.nat(14), fc.nat(14))
  .map(([zone, begin, more]) => ({ zone, begin, end: Math.min(begin + more, 14) }))

/** The figures that the reports must have, added up here. */
function expectedOf(all: readonly Sale[], kind: BookedKind, zone: string, days: readonly string[]) {
  const sums = new Map<string, [bigint, bigint, bigint, bigint]>()
  for (const sale of all) {
    const day = dayIn(zone, sale.at)
    if (!days.includes(day)) continue
    // Spending a referral balance counts among the shares too, besides its own kind.
    const isSpent = kind === 'shares' && sale.kind !== 'shares' && sale.spentMicros > 0n
    if (sale.kind !== kind && !isSpent) continue
    const key = sale.kind === 'shares' ? `${day} null null` : `${day} ${sale.pool} ${sale.method}`
    const [count, micros, spent, bytes] = sums.get(key) ?? [0n, 0n, 0n, 0n]
    const direction = isSpent && sale.kind === 'refund' ? -1n : 1n
    sums.set(key, [
      count + 1n,
      micros + (isSpent ? 0n : sale.micros),
      spent + (sale.kind === 'shares' ? 0n : direction * sale.spentMicros),
      bytes + (kind === 'shares' ? 0n : sale.bytes),
    ])
  }
  return sums
}

async function reportedOf(kind: BookedKind, { days, starts }: ReturnType<typeof daysBetween>) {
  const rows = await bookedDays(db, { kind, days, starts })
  return new Map(
    rows.map((row) => [
      `${row.day} ${row.pool} ${row.method}`,
      [BigInt(row.count), row.micros, row.spentMicros, row.bytes],
    ]),
  )
}

describe('reports', () => {
  it('equal what was posted, in any time zone, whether or not it is in the sums', async () => {
    const customerId = await newAccount(db)
    await post(db, {
      kind: 'test',
      reference: 'much',
      postings: [
        { account: customer.referral(customerId), amount: 10n ** 12n },
        { account: house.cash('card'), amount: -(10n ** 12n) },
        ...['mobile', 'residential'].flatMap((pool) => [
          { account: customer.trafficPaid(customerId, pool), amount: 10n ** 15n },
          { account: house.trafficSold(pool), amount: -(10n ** 15n) },
        ]),
      ],
    })
    const all: Sale[] = []
    await fc.assert(
      fc.asyncProperty(
        fc.array(sales, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.array(period, { minLength: 1, maxLength: 4 }),
        async (some, isAddedUp, periods) => {
          for (const sale of some) await postAt(sale, customerId)
          all.push(...some)
          if (isAddedUp) await addUpPostings(db)
          for (const { zone, begin, end } of periods) {
            const { days, starts } = daysBetween(zone, dayOf(begin), dayOf(end))
            for (const kind of ['purchase', 'refund', 'shares'] as const) {
              const expected = expectedOf(all, kind, zone, days)
              expect(await reportedOf(kind, { days, starts })).toEqual(expected)
              const total = [...expected.values()].reduce<readonly [bigint, bigint, bigint]>(
                ([micros, spent, bytes], one) => [micros + one[1], spent + one[2], bytes + one[3]],
                [0n, 0n, 0n],
              )
              const [from, to] = [starts[0] ?? new Date(0), starts.at(-1) ?? new Date(0)]
              const { micros, spentMicros, bytes } = await bookedSums(db, { kind, from, to })
              expect([micros, spentMicros, bytes]).toEqual(total)
            }
          }
        },
      ),
      { numRuns: sized(15, 300) },
    )
    expect(await verifyLedger(db)).toEqual([])
  })

  const count = async () => {
    const { days, starts } = daysBetween('UTC', '2026-01-01', '2026-01-01')
    const span = { from: new Date(0), to: new Date(Date.UTC(2100, 0)) }
    const rows = await bookedDays(db, {
      kind: 'purchase',
      days,
      starts: [span.from, ...starts.slice(1, -1), span.to],
    })
    const { micros } = await bookedSums(db, { kind: 'purchase', ...span })
    return [rows.reduce((sum, row) => sum + Number(row.count), 0), Number(micros)]
  }
  const sale = (method: string): Sale => ({
    kind: 'purchase',
    at: new Date(),
    method,
    pool: 'mobile',
    micros: 500n,
    spentMicros: 0n,
    bytes: 10n,
  })
  const buy = (tx: Database['db'], customerId: bigint, method = 'card') =>
    post(tx, {
      kind: 'purchase',
      reference: String(++references),
      postings: postingsOf(sale(method), customerId),
    })

  it('include transactions that commit after later ones were added up, and never those rolled back', async () => {
    const [early, later, undone] = [await newAccount(db), await newAccount(db), await newAccount(db)]
    // Opens the accounts first, so that the transactions do not wait for each other.
    for (const customerId of [early, later, undone]) await buy(db, customerId)
    const failing = transaction(db, async (tx) => {
      await buy(tx, undone)
      expect(await addUpPostings(db)).toBe(3)
      throw new Error('the payment was another one’s')
    })
    await expect(failing).rejects.toThrow('another one')
    await transaction(db, async (tx) => {
      await buy(tx, early)
      await buy(db, later)
      // Only the sale that began later has committed and can be added up.
      expect(await addUpPostings(db)).toBe(1)
      expect(await count()).toEqual([4, 2000])
    })
    expect(await count()).toEqual([5, 2500])
    expect(await addUpPostings(db)).toBe(1)
    expect(await count()).toEqual([5, 2500])
    expect(await addUpPostings(db)).toBe(0)
    expect(await verifyLedger(db, { full: true })).toEqual([])
  })

  it('count every posting once while several processes build sums', async () => {
    const customers = await Promise.all(Array.from({ length: 4 }, () => newAccount(db)))
    const posting = customers.map(async (customerId, index) => {
      for (let turn = 0; turn < 10; turn++) await buy(db, customerId, `method${index}`)
    })
    let isOver = false
    const adding = Array.from({ length: 2 }, async () => {
      while (!isOver) await addUpPostings(db)
    })
    await Promise.all(posting)
    isOver = true
    await Promise.all(adding)
    expect(await count()).toEqual([40, 20_000])
    await addUpPostings(db)
    expect(await count()).toEqual([40, 20_000])
    expect(await verifyLedger(db)).toEqual([])
  })

  it('keep the months that were moved to files', async () => {
    const customerId = await newAccount(db)
    await buy(db, customerId)
    await moveBack(database, 2)
    await buy(db, customerId)
    await makeLedgerMonths(db)
    const [month = ''] = await closeMonths(db)
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-sums-'))
    await archiveMonth(database, { month, folder })
    await rm(folder, { recursive: true })
    expect(await count()).toEqual([2, 1000])
    const span = { from: new Date(Date.parse(`${month}-01`)), to: new Date() }
    expect(await archivedIn(db, span, [span.from])).toEqual([])
    expect(await archivedIn(db, span, [new Date(1)])).toEqual([month])
    expect(await archivedIn(db, span)).toEqual([month])
    expect(await verifyLedger(db, { full: true })).toEqual([])
  })

  it('cannot be falsified without detection', async () => {
    const customerId = await newAccount(db)
    await buy(db, customerId)
    await addUpPostings(db)
    await buy(db, customerId)
    const wrongs = [
      'update ledger_booked_sum set transactions = transactions + 1',
      'update ledger_booked_sum set bytes = bytes - 1',
      `update ledger_booked_sum set method = 'crypto'`,
      'delete from ledger_booked_sum',
      'update ledger_house_sum set amount = amount + 1 where amount < 0',
      'delete from ledger_house_sum',
      'delete from ledger_unsummed',
      'insert into ledger_unsummed select id from ledger_transaction on conflict do nothing',
    ]
    for (const wrong of wrongs) {
      await sql`create table kept_booked as table ledger_booked_sum`.execute(db)
      await sql`create table kept_house as table ledger_house_sum`.execute(db)
      await sql`create table kept_unsummed as table ledger_unsummed`.execute(db)
      await sql.raw(wrong).execute(db)
      const checks = (await verifyLedger(db)).map(({ check }) => check)
      expect([wrong, ...new Set(checks)]).toEqual([wrong, 'sums_are_what_was_posted'])
      for (const [table, kept] of [
        ['ledger_booked_sum', 'kept_booked'],
        ['ledger_house_sum', 'kept_house'],
        ['ledger_unsummed', 'kept_unsummed'],
      ])
        await sql.raw(`truncate ${table}; insert into ${table} table ${kept}; drop table ${kept}`).execute(db)
      expect(await verifyLedger(db)).toEqual([])
    }
  })

  it('are verified by joins of whole tables, however many transactions are not in the sums', async () => {
    const customerId = await newAccount(db)
    for (let n = 0; n < 300; n++) await buy(db, customerId)
    const scans = async () => {
      const { rows } = await sql<{ scans: string }>`
        select sum(idx_scan)::text as scans from pg_stat_user_tables where relname like 'ledger_%'`.execute(
        db,
      )
      return Number(rows[0]?.scans)
    }
    // PostgreSQL publishes the statistics of a connection when it closes, at the latest.
    await database.pool.query('select pg_stat_force_next_flush()')
    const before = await scans()
    expect(await verifyLedger(db, { full: true })).toEqual([])
    await expect
      .poll(async () => {
        await Promise.all(
          Array.from({ length: 10 }, () =>
            database.pool.query('select pg_stat_force_next_flush(), pg_sleep(0.01)'),
          ),
        )
        return scans()
      })
      .toBeGreaterThan(before)
    expect((await scans()) - before).toBeLessThan(2 * 300)
  })

  it('count the traffic of every hour once, whether it is open, closed or in the sums', async () => {
    await untilHourLasts(database, 20)
    const customerId = await newAccount(db)
    await buy(db, customerId)
    const [bonus = 0n, paid = 0n] = await openAccounts(db, [
      customer.trafficBonus(customerId, 'mobile'),
      customer.trafficPaid(customerId, 'mobile'),
    ])
    const use = (amount: bigint) =>
      transaction(db, (tx) => postUsage(tx, [{ first: bonus, second: paid, amount }]))
    const hourMs = 3_600_000
    const now = Math.floor(Date.now() / hourMs) * hourMs
    /** The bytes used in the hours that began so many hours ago, and the bytes held when they began. */
    const told = async (...ago: number[]) => {
      const at = (hours: number) => new Date(now - hours * hourMs)
      const used = await Promise.all(
        ago.map((hours) => usedInHours(db, { from: at(hours), to: at(hours - 1) })),
      )
      const held = await heldAt(db, [...ago.map(at), at(-1)])
      return [used, held.at(-1)?.paidBytes]
    }
    for (const amount of [1n, 2n, 3n]) {
      await use(amount)
      await hoursLater(database, 1)
      // The hours before this one are closed by the next use.
      if (amount === 2n) await addUpPostings(db)
    }
    const expected = [[1n, 2n, 3n, 0n], 4n]
    expect(await told(3, 2, 1, 0)).toEqual(expected)
    await addUpPostings(db)
    expect(await told(3, 2, 1, 0)).toEqual(expected)
    await use(4n)
    expect(await told(3, 2, 1, 0)).toEqual([[1n, 2n, 3n, 4n], 0n])
    expect(await verifyLedger(db)).toEqual([])
    for (const wrong of [
      'update ledger_usage_sum set bytes = bytes + 1',
      'delete from ledger_usage_unsummed',
    ]) {
      await sql.raw(wrong).execute(db)
      expect([wrong, ...(await verifyLedger(db)).map(({ check }) => check)]).toContain(
        'sums_are_what_was_posted',
      )
      await sql`truncate ledger_usage_sum, ledger_usage_unsummed`.execute(db)
      await sql`insert into ledger_usage_unsummed select hour, account_id from ledger_usage`.execute(db)
      expect(await verifyLedger(db)).toEqual([])
    }
  })

  it('are verified against the sums that a month was closed with', async () => {
    const customerId = await newAccount(db)
    await buy(db, customerId)
    await moveBack(database, 1)
    await makeLedgerMonths(db)
    await addUpPostings(db)
    await closeMonths(db)
    expect(await verifyLedger(db)).toEqual([])
    await aroundTheRules(database, 'update ledger_house_sum set amount = amount * 2')
    await aroundTheRules(database, 'update ledger_booked_sum set micros = micros * 2, bytes = bytes * 2')
    expect((await verifyLedger(db)).map(({ check }) => check)).toContain('sums_are_what_was_posted')
  })
})
