import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import { sized } from '#test/size'
import {
  type Posting,
  balancesById,
  balancesOfUser,
  customer,
  house,
  openAccounts,
  post,
  referralBalance,
  postUsage,
  verifyLedger,
} from './ledger.ts'

let database: Database
let db: Database['db']
let references = 0
const occasion = () => ({ kind: 'test', reference: String(++references) })

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

async function balanceOf(customerId: bigint, kind: string): Promise<bigint | undefined> {
  return (await balancesOfUser(db, customerId)).find((account) => account.kind === kind)?.balance
}

/** The postings of traffic and its price. */
function sale(customerId: bigint, { bytes, micros }: { bytes: bigint; micros: bigint }): Posting[] {
  return [
    { account: house.cash('sandbox'), amount: micros },
    { account: house.sales(), amount: -micros },
    { account: house.trafficSold('mobile'), amount: -bytes },
    { account: customer.trafficPaid(customerId, 'mobile'), amount: bytes },
  ]
}

describe('post', () => {
  it('moves money and traffic together, once per occasion', async () => {
    const customerId = await newAccount(db)
    const purchase = {
      kind: 'purchase',
      reference: 'sandbox:1',
      postings: sale(customerId, { bytes: 10n, micros: 500n }),
    }
    expect(await post(db, purchase)).toBe('posted')
    expect(await post(db, purchase)).toBe('already_posted')
    expect(await balanceOf(customerId, 'traffic_paid')).toBe(10n)
  })

  it('posts once for fifty concurrent calls', async () => {
    const customerId = await newAccount(db)
    const purchase = { ...occasion(), postings: sale(customerId, { bytes: 10n, micros: 500n }) }
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => post(db, purchase)))
    expect(outcomes.filter((outcome) => outcome === 'posted')).toHaveLength(1)
    expect(await balanceOf(customerId, 'traffic_paid')).toBe(10n)
  })

  it('is rolled back with the transaction it is part of', async () => {
    const customerId = await newAccount(db)
    const purchase = { ...occasion(), postings: sale(customerId, { bytes: 10n, micros: 500n }) }
    const failing = transaction(db, async (tx) => {
      await post(tx, purchase)
      throw new Error('the mail server is away')
    })
    await expect(failing).rejects.toThrow('mail server')
    expect(await balanceOf(customerId, 'traffic_paid')).toBeUndefined()
    expect(await post(db, purchase)).toBe('posted')
  })

  it('adds up postings to one account and omits those that sum to zero', async () => {
    const customerId = await newAccount(db)
    const twice = [
      ...sale(customerId, { bytes: 1n, micros: 0n }),
      ...sale(customerId, { bytes: 2n, micros: 0n }),
    ]
    await post(db, { ...occasion(), postings: twice })
    expect(await balanceOf(customerId, 'traffic_paid')).toBe(3n)
    await post(db, { ...occasion(), postings: [] })
  })

  it('refuses what does not sum to zero in every currency', async () => {
    const customerId = await newAccount(db)
    const [cash, sales, sold, paid] = sale(customerId, { bytes: 10n, micros: 10n }) as [
      Posting,
      Posting,
      Posting,
      Posting,
    ]
    for (const postings of [[paid], [cash, sold], [cash, sales, paid], [cash, { ...sales, amount: -9n }]])
      await expect(post(db, { ...occasion(), postings })).rejects.toMatchObject({
        constraint: 'ledger_sums_to_zero',
      })
    expect(await balanceOf(customerId, 'traffic_paid')).toBeUndefined()
  })

  it('refuses to overdraw a customer', async () => {
    const customerId = await newAccount(db)
    await post(db, { ...occasion(), postings: sale(customerId, { bytes: 10n, micros: 10n }) })
    const postings = sale(customerId, { bytes: -11n, micros: 0n })
    await expect(post(db, { ...occasion(), postings })).rejects.toMatchObject({
      constraint: 'customer_never_below_zero',
    })
    expect(await balanceOf(customerId, 'traffic_paid')).toBe(10n)
  })

  it('keeps referral money per customer', async () => {
    const customerId = await newAccount(db)
    expect(await referralBalance(db, customerId)).toBe(0n)
    const postings = [
      { account: house.referralCost(), amount: -350_000n },
      { account: customer.referral(customerId), amount: 350_000n },
    ]
    await post(db, { ...occasion(), postings })
    expect(await referralBalance(db, customerId)).toBe(350_000n)
  })

  it('does not deadlock when many post to overlapping accounts in any order', async () => {
    const customers = await Promise.all(Array.from({ length: 6 }, () => newAccount(db)))
    const accounts = customers.map((customerId) => customer.trafficPaid(customerId, 'mobile'))
    const gift = (order: typeof accounts) => ({
      ...occasion(),
      postings: [
        ...order.map((account) => ({ account, amount: 1n })),
        { account: house.trafficSold('mobile'), amount: -BigInt(order.length) },
      ],
    })
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        post(db, gift(index % 2 === 0 ? accounts : accounts.toReversed())),
      ),
    )
    for (const customerId of customers) expect(await balanceOf(customerId, 'traffic_paid')).toBe(60n)
  })
})

describe('accounts', () => {
  it('are opened once by concurrent calls, and returned in the order of the keys', async () => {
    const customerId = await newAccount(db)
    const keys = [
      customer.trafficPaid(customerId, 'datacenter'),
      house.trafficGiven('datacenter'),
      customer.referral(customerId),
      house.sales(),
      customer.trafficPaid(customerId, 'datacenter'),
    ]
    const opened = await Promise.all([
      ...Array.from({ length: 10 }, () => openAccounts(db, keys)),
      ...Array.from({ length: 10 }, async () => (await openAccounts(db, keys.toReversed())).toReversed()),
    ])
    expect(new Set(opened.map(String)).size).toBe(1)
    expect(opened[0]?.[0]).toBe(opened[0]?.[4])
    expect(new Set(opened[0]).size).toBe(4)
  })
})

describe('postUsage', () => {
  it('empties the first account before it touches the second', async () => {
    const amounts = fc.record({
      first: fc.nat(50),
      second: fc.nat(50),
      share: fc.integer({ min: 0, max: 100 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(amounts, { minLength: 1, maxLength: 8 }), async (people) => {
        const drawn = await Promise.all(
          people.map(async ({ first, second, share }) => {
            const customerId = await newAccount(db)
            const keys = [
              customer.trafficBonus(customerId, 'mobile'),
              customer.trafficPaid(customerId, 'mobile'),
            ] as const
            const [bonus, paid] = (await openAccounts(db, keys)) as [bigint, bigint]
            const postings = [
              { account: keys[0], amount: BigInt(first) },
              { account: keys[1], amount: BigInt(second) },
              { account: house.trafficGiven('mobile'), amount: -BigInt(first + second) },
            ]
            await post(db, { ...occasion(), postings })
            return {
              first: BigInt(first),
              bonus,
              paid,
              held: BigInt(first + second),
              amount: BigInt(Math.floor(((first + second) * share) / 100)),
            }
          }),
        )
        const draws = drawn.map(({ bonus, paid, amount }) => ({ first: bonus, second: paid, amount }))
        const taken = await transaction(db, (tx) => postUsage(tx, draws))
        const balances = await balancesById(
          db,
          draws.flatMap((one) => [one.first, one.second]),
        )
        for (const [index, { first, bonus, paid, held, amount }] of drawn.entries()) {
          expect(taken[index]).toBe(amount < first ? amount : first)
          expect(balances.get(bonus)).toBe(first - (taken[index] ?? 0n))
          expect((balances.get(bonus) ?? 0n) + (balances.get(paid) ?? 0n)).toBe(held - amount)
        }
      }),
      { numRuns: sized(8, 20) },
    )
  })
})

describe('the database itself', () => {
  const entries = (transactionId: bigint, values: [bigint, number][]) => sql`
    insert into ledger_entry (transaction_id, account_id, amount)
    select ${transactionId}, * from unnest(${values.map(([id]) => id)}::bigint[], ${values.map(([, n]) => n)}::bigint[])`

  async function posted() {
    const customerId = await newAccount(db)
    const reference = String(++references)
    await post(db, { kind: 'test', reference, postings: sale(customerId, { bytes: 10n, micros: 10n }) })
    const { rows } = await sql<{ id: bigint }>`
      select id from ledger_transaction where kind = 'test' and reference = ${reference}`.execute(db)
    const [paid = 0n, sold = 0n, used = 0n, lost = 0n] = await openAccounts(db, [
      customer.trafficPaid(customerId, 'mobile'),
      house.trafficSold('mobile'),
      house.trafficUsed('mobile'),
      house.trafficLost('mobile'),
    ])
    return { customerId, transactionId: rows[0]?.id ?? 0n, paid, sold, used, lost }
  }

  it('refuses to change or delete what was posted', async () => {
    const { transactionId, paid } = await posted()
    const attempts = [
      sql`update ledger_entry set amount = amount + 1 where transaction_id = ${transactionId}`,
      sql`delete from ledger_entry where transaction_id = ${transactionId}`,
      sql`truncate ledger_entry`,
      sql`update ledger_transaction set kind = 'gift' where id = ${transactionId}`,
      sql`delete from ledger_transaction where id = ${transactionId}`,
      sql`truncate ledger_transaction`,
      sql`delete from ledger_account where id = ${paid}`,
      sql`truncate ledger_account cascade`,
    ]
    for (const attempt of attempts) await expect(attempt.execute(db)).rejects.toThrow('append-only')
  })

  it('refuses balances made by hand', async () => {
    const { customerId, paid } = await posted()
    const byHand = [
      sql`update ledger_balance set balance = balance + 1 where account_id = ${paid}`,
      sql`insert into ledger_balance (account_id) values (${paid})
          on conflict (account_id) do update set balance = ledger_balance.balance + 1`,
    ]
    for (const attempt of byHand)
      await expect(attempt.execute(db)).rejects.toThrow(/by posting entries only|append-only/)
    const others = [
      sql`update ledger_account set pool = 'datacenter' where id = ${paid}`,
      sql`update ledger_balance set account_id = account_id + 1000000 where account_id = ${paid}`,
      sql`delete from ledger_balance where account_id = ${paid}`,
      sql`truncate ledger_balance`,
      sql`insert into ledger_balance (account_id, balance) values (${paid} + 1000000, 5)`,
    ]
    for (const attempt of others) await expect(attempt.execute(db)).rejects.toThrow('append-only')
    expect(await balanceOf(customerId, 'traffic_paid')).toBe(10n)
  })

  it('refuses entries that are late, single, or of an unknown account', async () => {
    const { transactionId, paid, sold, used, lost } = await posted()
    const late = entries(transactionId, [
      [used, 5],
      [lost, -5],
    ])
    await expect(late.execute(db)).rejects.toMatchObject({ constraint: 'ledger_transaction_is_closed' })
    const nowhere = entries(999_999_999n, [
      [paid, 5],
      [sold, -5],
    ])
    await expect(nowhere.execute(db)).rejects.toMatchObject({ constraint: 'ledger_transaction_is_closed' })
    const within = (values: [bigint, number][]) =>
      transaction(db, async (tx) => {
        const { rows } = await sql<{ id: bigint }>`
          insert into ledger_transaction (kind, reference) values ('test', ${String(++references)}) returning id`.execute(
          tx,
        )
        await entries(rows[0]?.id ?? 0n, values).execute(tx)
      })
    await expect(within([[paid, 5]])).rejects.toMatchObject({ constraint: 'ledger_sums_to_zero' })
    await expect(
      within([
        [paid, 5],
        [999_999_999n, -5],
      ]),
    ).rejects.toMatchObject({ constraint: 'ledger_sums_to_zero' })
    await expect(
      within([
        [paid, 5],
        [sold, -5],
        [sold, 0],
      ]),
    ).rejects.toMatchObject({ constraint: 'ledger_entry_amount_check' })
    await within([
      [paid, 5],
      [sold, -5],
    ])
  })

  it('refuses entries of two transactions in one statement', async () => {
    const { paid, sold } = await posted()
    const both = transaction(db, async (tx) => {
      const { rows } = await sql<{ id: bigint }>`
        insert into ledger_transaction (kind, reference)
        select 'test', n from unnest(${[String(++references), String(++references)]}::text[]) n returning id`.execute(
        tx,
      )
      const ids = rows.map((row) => row.id)
      await sql`
        insert into ledger_entry (transaction_id, account_id, amount)
        select id, account, amount from unnest(${ids}::bigint[]) id,
          (values (${paid}::bigint, 5), (${sold}::bigint, -5)) as entry(account, amount)`.execute(tx)
    })
    await expect(both).rejects.toMatchObject({ constraint: 'ledger_transaction_is_closed' })
  })

  it('checks every currency separately', async () => {
    const { customerId, paid, sold } = await posted()
    const [cash = 0n, referral = 0n] = await openAccounts(db, [
      house.cash('test'),
      customer.referral(customerId),
    ])
    const mixed = (values: [bigint, number][]) =>
      transaction(db, async (tx) => {
        const { rows } = await sql<{ id: bigint }>`
          insert into ledger_transaction (kind, reference) values ('test', ${String(++references)}) returning id`.execute(
          tx,
        )
        await entries(rows[0]?.id ?? 0n, values).execute(tx)
      })
    const crossed: [bigint, number][] = [
      [paid, 5],
      [cash, -5],
    ]
    await expect(mixed(crossed)).rejects.toMatchObject({ constraint: 'ledger_sums_to_zero' })
    await expect(mixed([[sold, 5], ...crossed])).rejects.toMatchObject({ constraint: 'ledger_sums_to_zero' })
    await mixed([...crossed, [sold, -5], [referral, 5]])
  })
})

describe('verifyLedger', () => {
  it('finds nothing after all tests above', async () => {
    expect(await verifyLedger(db)).toEqual([])
  })

  it('finds changes made with the rules disabled', async () => {
    const other = await testDatabase()
    try {
      const customerId = await newAccount(other.db)
      const purchase = (reference: string) => ({
        kind: 'test',
        reference,
        postings: sale(customerId, { bytes: 10n, micros: 10n }),
      })
      for (const reference of ['1', '2']) await post(other.db, purchase(reference))
      await other.pool.query(`
        alter table ledger_balance disable trigger user;
        alter table ledger_entry disable trigger user;
        alter table ledger_transaction disable trigger user;
        update ledger_balance set balance = balance + 1 where account_id = (select id from ledger_account where kind = 'traffic_paid');
        delete from ledger_entry where transaction_id = (select min(id) from ledger_transaction)
          and account_id = (select id from ledger_account where kind = 'sales');
        delete from ledger_transaction where id = (select max(id) from ledger_transaction)`)
      const findings = await verifyLedger(other.db)
      expect(new Set(findings.map((finding) => finding.check))).toEqual(
        new Set([
          'transaction_sums_to_zero',
          'entry_has_transaction_and_account',
          'balance_is_the_sum_of_entries',
        ]),
      )
      expect(findings).toContainEqual({
        check: 'balance_is_the_sum_of_entries',
        subject: expect.stringMatching(/^account \d+ \(traffic_paid of customer \d+, mobile\)$/),
        detail: 'it says 21, its entries sum to 20',
      })
    } finally {
      await other.close()
    }
  })
})
