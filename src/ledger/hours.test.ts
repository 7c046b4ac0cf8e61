import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { testDatabase } from '#test/database'
import { aroundTheRules, hoursLater, untilHourLasts } from '#test/ledger'
import { newAccount } from '#test/people'
import { balancesById, customer, house, openAccounts, post, postUsage, verifyLedger } from './ledger.ts'

let database: Database
let db: Database['db']
let references = 0

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())
beforeEach(() => untilHourLasts(database, 20), 30_000)

/** The paid and the bonus account of a new customer in a pool, with so many paid bytes. */
async function customerWith(bytes: bigint) {
  const customerId = await newAccount(db)
  const keys = [
    customer.trafficBonus(customerId, 'mobile'),
    customer.trafficPaid(customerId, 'mobile'),
  ] as const
  const [bonus = 0n, paid = 0n] = await openAccounts(db, keys)
  const credit = (amount: bigint) =>
    post(db, {
      kind: 'test',
      reference: `hours ${++references}`,
      postings: [
        { account: keys[1], amount },
        { account: house.trafficSold('mobile'), amount: -amount },
      ],
    })
  if (bytes > 0n) await credit(bytes)
  const use = (amount: bigint) =>
    transaction(db, (tx) => postUsage(tx, [{ first: bonus, second: paid, amount }]))
  return {
    customerId,
    bonus,
    paid,
    credit,
    use,
    balance: async () => (await balancesById(db, [paid])).get(paid),
  }
}

interface Open {
  balance: bigint
  open_bytes: bigint
  /** The open hour relative to the current one, in hours; null: no hour is open. */
  hours: number | null
}

async function open(account: bigint): Promise<Open | undefined> {
  const { rows } = await sql<Open>`
    select balance, open_bytes,
      (extract(epoch from open_hour - date_trunc('hour', now(), 'UTC')) / 3600)::int as hours
    from ledger_balance where account_id = ${account}`.execute(db)
  return rows[0]
}

const closed = async (account: bigint) =>
  (
    await sql<{
      bytes: bigint
    }>`select bytes from ledger_usage where account_id = ${account} order by hour`.execute(db)
  ).rows.map(({ bytes }) => bytes)

describe('used traffic', () => {
  it('grows in one row within an hour, which is closed when a later hour is used', async () => {
    const who = await customerWith(1000n)
    for (let times = 0; times < 20; times++) await who.use(3n)
    expect(await open(who.paid)).toEqual({ balance: 940n, open_bytes: 60n, hours: 0 })
    expect(await closed(who.paid)).toEqual([])
    await hoursLater(database, 2)
    await who.use(5n)
    expect(await open(who.paid)).toEqual({ balance: 935n, open_bytes: 5n, hours: 0 })
    expect(await closed(who.paid)).toEqual([60n])
    await hoursLater(database, 1)
    await who.credit(7n)
    expect(await open(who.paid)).toEqual({ balance: 942n, open_bytes: 5n, hours: -1 })
    await who.use(1n)
    expect(await closed(who.paid)).toEqual([60n, 5n])
    expect(await verifyLedger(db)).toEqual([])
  })

  it('is not changed by refunds and gifts in the same hour', async () => {
    const who = await customerWith(1000n)
    await who.use(100n)
    await who.credit(-300n)
    await who.credit(50n)
    await who.use(1n)
    expect(await open(who.paid)).toEqual({ balance: 649n, open_bytes: 101n, hours: 0 })
    await expect(who.credit(-650n)).rejects.toMatchObject({ constraint: 'customer_never_below_zero' })
    await hoursLater(database, 1)
    await who.credit(-1n)
    expect(await closed(who.paid)).toEqual([])
    await who.use(2n)
    expect(await closed(who.paid)).toEqual([101n])
    expect(await open(who.paid)).toEqual({ balance: 646n, open_bytes: 2n, hours: 0 })
    expect(await verifyLedger(db)).toEqual([])
  })

  it('continues in the later hour when the clock goes back', async () => {
    const who = await customerWith(1000n)
    await who.use(10n)
    await hoursLater(database, 1)
    await who.use(20n)
    // Simulates a clock that has been an hour ahead until now.
    await aroundTheRules(
      database,
      `update ledger_balance set open_hour = open_hour + interval '1 hour' where account_id = ${who.paid}`,
    )
    await who.use(5n)
    await who.use(5n)
    expect(await open(who.paid)).toEqual({ balance: 960n, open_bytes: 30n, hours: 1 })
    expect(await closed(who.paid)).toEqual([10n])
    await hoursLater(database, 1)
    await who.use(1n)
    expect(await open(who.paid)).toEqual({ balance: 959n, open_bytes: 31n, hours: 0 })
    await hoursLater(database, 1)
    await who.use(1n)
    expect(await closed(who.paid)).toEqual([10n, 31n])
    expect(await verifyLedger(db)).toEqual([])
  })

  it('leaves an hour open when its closing was rolled back', async () => {
    const who = await customerWith(1000n)
    await who.use(10n)
    await hoursLater(database, 1)
    const draw = { first: who.bonus, second: who.paid, amount: 20n }
    const crash = transaction(db, async (tx) => {
      await postUsage(tx, [draw])
      throw new Error('the process ended')
    })
    await expect(crash).rejects.toThrow('the process ended')
    expect(await open(who.paid)).toEqual({ balance: 990n, open_bytes: 10n, hours: -1 })
    expect(await closed(who.paid)).toEqual([])
    await who.use(20n)
    expect(await closed(who.paid)).toEqual([10n])
    expect(await verifyLedger(db)).toEqual([])
  })

  it('never exceeds the balance', async () => {
    const who = await customerWith(10n)
    await who.use(10n)
    await expect(who.use(1n)).rejects.toMatchObject({ constraint: 'customer_never_below_zero' })
    expect(await open(who.paid)).toEqual({ balance: 0n, open_bytes: 10n, hours: 0 })
    await hoursLater(database, 1)
    await expect(who.use(1n)).rejects.toMatchObject({ constraint: 'customer_never_below_zero' })
    expect(await closed(who.paid)).toEqual([])
  })

  it('opens an hour once for concurrent settlements', async () => {
    const who = await customerWith(1000n)
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 20 }, () => who.use(2n)))
      await hoursLater(database, 1)
    }
    await who.use(1n)
    expect(await closed(who.paid)).toEqual([40n, 40n, 40n])
    expect(await who.balance()).toBe(1000n - 121n)
  })

  it('does not deadlock with purchases and other settlements, in any order, while hours begin', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => customerWith(10_000n)))
    const draws = people.map(({ bonus, paid }) => ({ first: bonus, second: paid, amount: 1n }))
    const rounds = 25
    await Promise.all([
      ...[draws, draws.toReversed()].map(async (order) => {
        for (let times = 0; times < rounds; times++) await transaction(db, (tx) => postUsage(tx, order))
      }),
      ...people.map(async (who) => {
        for (let times = 0; times < rounds; times++) await who.credit(2n)
      }),
    ])
    for (const who of people) expect(await who.balance()).toBe(10_000n)
    expect(await verifyLedger(db)).toEqual([])
  })

  it('is consistent for a verification that runs during it', async () => {
    const who = await customerWith(100_000n)
    let isOver = false
    const busy = (async () => {
      for (let times = 0; times < 120; times++) {
        await who.use(1n)
        if (times % 10 === 0) await who.credit(3n)
        if (times % 40 === 0) await hoursLater(database, 1)
      }
      isOver = true
    })()
    while (!isOver) expect(await verifyLedger(db)).toEqual([])
    await busy
  })
})

describe('the database itself', () => {
  const change = (account: bigint, what: string) =>
    sql`update ledger_balance set ${sql.raw(what)} where account_id = ${account}`.execute(db)

  it('lets an open hour grow only by bytes that leave the balance', async () => {
    const step = fc.record({
      balance: fc.integer({ min: -5, max: 5 }),
      bytes: fc.integer({ min: -5, max: 5 }),
      hours: fc.integer({ min: -2, max: 2 }),
    })
    const who = await customerWith(100_000n)
    await who.use(100n)
    await fc.assert(
      fc.asyncProperty(step, async ({ balance, bytes, hours }) => {
        const before = await open(who.paid)
        const text = `balance = balance + ${balance}, open_bytes = open_bytes + ${bytes},
          open_hour = open_hour + interval '${hours} hours'`
        const isGrowth = bytes > 0 && balance === -bytes && hours === 0
        const outcome = await change(who.paid, text).then(
          () => 'done',
          () => 'refused',
        )
        expect(outcome).toBe(isGrowth ? 'done' : 'refused')
        if (!isGrowth) expect(await open(who.paid)).toEqual(before)
      }),
      { numRuns: 300 },
    )
    expect(await verifyLedger(db)).toEqual([])
  })

  it('lets no closed hour grow, and only the current hour begin', async () => {
    const who = await customerWith(1000n)
    await who.use(10n)
    await hoursLater(database, 1)
    await expect(change(who.paid, 'balance = balance - 1, open_bytes = open_bytes + 1')).rejects.toThrow(
      'by posting',
    )
    const begin = (hour: string, rest = 'balance = balance - 1, open_bytes = 1') =>
      change(who.paid, `${rest}, open_hour = ${hour}`)
    const now = `date_trunc('hour', now(), 'UTC')`
    await expect(begin(`${now} + interval '1 hour'`)).rejects.toThrow('by posting')
    await expect(begin(`${now} - interval '2 hours'`)).rejects.toThrow('by posting')
    await expect(begin(`now()`)).rejects.toThrow('by posting')
    // The bytes used in the previous hour would be lost.
    await expect(begin(now, 'balance = balance + 9, open_bytes = 1')).rejects.toThrow('by posting')
    await expect(begin(now, 'open_bytes = 1')).rejects.toThrow('by posting')
    await expect(begin(now, 'balance = balance + 1, open_bytes = -1')).rejects.toThrow('open_bytes_check')
    expect(await closed(who.paid)).toEqual([])
    await begin(now)
    expect(await closed(who.paid)).toEqual([10n])
    expect(await verifyLedger(db)).toEqual([])
  })

  it('accepts only traffic accounts as used', async () => {
    const who = await customerWith(0n)
    const [referral = 0n] = await openAccounts(db, [customer.referral(who.customerId)])
    await post(db, {
      kind: 'test',
      reference: `hours ${++references}`,
      postings: [
        { account: customer.referral(who.customerId), amount: 5n },
        { account: house.referralCost(), amount: -5n },
      ],
    })
    await expect(
      change(referral, `balance = balance - 1, open_bytes = 1, open_hour = date_trunc('hour', now(), 'UTC')`),
    ).rejects.toThrow('by posting')
  })

  it('does not let closed hours change, through the table or its partitions', async () => {
    const who = await customerWith(1000n)
    await who.use(10n)
    await hoursLater(database, 1)
    await who.use(1n)
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent in ('ledger_usage'::regclass, 'ledger_entry'::regclass)`.execute(db)
    expect(rows.length).toBeGreaterThanOrEqual(10)
    const names = ['ledger_usage', 'ledger_entry', ...rows.map(({ name }) => name)]
    for (const name of names) {
      const column = name.includes('usage') ? 'bytes' : 'amount'
      for (const text of [
        `update ${name} set ${column} = ${column} + 1`,
        `delete from ${name}`,
        `truncate ${name}`,
      ])
        await expect(sql.raw(text).execute(db), text).rejects.toThrow('append-only')
    }
    for (const name of names.filter((one) => one !== 'ledger_entry')) {
      const rest = name.includes('usage')
        ? `(hour, account_id, bytes) values (date_trunc('hour', now(), 'UTC'), ${who.paid}, 1)`
        : `(transaction_id, account_id, amount) values (1, ${who.paid}, 1)`
      await expect(sql.raw(`insert into ${name} ${rest}`).execute(db), name).rejects.toThrow('append-only')
    }
    expect(await closed(who.paid)).toEqual([10n])
  })
})
