import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { billHeader, billStart, verifyBill } from '#contract/bill/bill'
import type { Database } from '#db'
import { customer, house, post } from '#ledger'
import { paidPerGb } from '#purchase'
import { testDatabase } from '#test/database'
import { aroundTheRules, hoursLater, untilHourLasts } from '#test/ledger'
import { customerWith, line, newBoot } from '#test/traffic'
import { lease, requestsByHour, settle } from '#traffic'
import { closeBills } from './close.ts'
import { billHead, billLines } from './read.ts'

const gb = 1_000_000_000n
let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const close = () => closeBills(db, { paidPerGb, requests: requestsByHour })

/** Moves everything that happened so far this many hours into the past, including the initial state. */
async function later(hours: number): Promise<void> {
  const back = `make_interval(hours => ${hours})`
  await hoursLater(database, hours)
  await aroundTheRules(
    database,
    `update ledger_transaction set posted_at = posted_at - ${back}; update bill_since set hour = hour - ${back};
     update bill_pool set hour = hour - ${back}`,
  )
}

async function use(who: { accessId: bigint }, bytes: bigint): Promise<void> {
  await untilHourLasts(database, 30)
  const holder = newBoot()
  const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: bytes })
  await settle(db, [holder.report([line(id, who.accessId, bytes, { close: true })], { at_ms: Date.now() })])
}

async function billOf(accountId: bigint) {
  const { lines, count, head } = await billLines(db, { accountId, after: 0n, limit: 1000 })
  expect(count).toBe(BigInt(lines.length))
  const verdict = await verifyBill(Buffer.from([billHeader, ...lines, ''].join('\n')))
  expect(verdict).toMatchObject({ ok: true, head })
  const parts = lines.map((text) => text.split(','))
  return {
    bytes: parts.map(([, , pool, credited, charged, , , balance]) => [pool, credited, charged, balance]),
    head,
    lines,
  }
}

describe('the bill', () => {
  it('has a line for each hour that is over, and leads to the balance', async () => {
    const who = await customerWith(db, { paid: gb, bonus: 100n })
    const held = (bytes: bigint) => String(gb + 100n - bytes)
    await use(who, 1000n)
    expect(await close()).toBe(0)
    expect(await billOf(who.accountId)).toMatchObject({ lines: [], head: billStart })
    expect(await billHead(db, who.accountId)).toBeNull()
    await later(2)
    await use(who, 500n)
    await close()
    const first = await billOf(who.accountId)
    expect(first.bytes).toEqual([['residential', held(0n), '1000', held(1000n)]])
    const [, hour] = first.lines[0]?.split(',') ?? []
    expect(await billHead(db, who.accountId)).toEqual({
      line: 1n,
      hour,
      chargedBytes: 1000n,
      head: first.head,
    })
    await close()
    expect(await billOf(who.accountId)).toEqual(first)
    await later(3)
    await close()
    const second = await billOf(who.accountId)
    expect(second.bytes.slice(1)).toEqual([['residential', '0', '500', held(1500n)]])
    expect(second.lines[0]).toBe(first.lines[0])
    expect(await who.balance()).toMatchObject({ paid: gb - 1400n })
  })

  it('carries forward the balance from before the first bill', async () => {
    const who = await customerWith(db, { paid: gb })
    await use(who, 7n)
    await later(5)
    await sql`update bill_since set hour = date_trunc('hour', now(), 'UTC') - interval '1 hour'`.execute(db)
    await close()
    expect((await billOf(who.accountId)).bytes).toEqual([
      ['residential', String(gb - 7n), '0', String(gb - 7n)],
    ])
  })

  it('has bytes that arrive late, and postings that commit late, in the next line', async () => {
    const who = await customerWith(db, { paid: gb })
    await use(who, 10n)
    await later(2)
    await close()
    // Simulates a settlement that began within the hour and committed after its line was made.
    await aroundTheRules(
      database,
      `update ledger_balance b set open_bytes = open_bytes + 5, balance = balance - 5
         from ledger_account a where a.id = b.account_id and a.customer_id = ${who.accountId} and a.kind = 'traffic_paid'`,
    )
    await post(db, {
      kind: 'test_refund',
      reference: `late ${who.accountId}`,
      postings: [
        { account: customer.trafficPaid(who.accountId, 'residential'), amount: -100n },
        { account: house.trafficSold('residential'), amount: 100n },
      ],
    })
    await aroundTheRules(
      database,
      `update ledger_transaction set posted_at = posted_at - interval '3 hours' where reference = 'late ${who.accountId}'`,
    )
    await close()
    const { bytes } = await billOf(who.accountId)
    expect(bytes.slice(1)).toEqual([['residential', '-100', '5', String(gb - 115n)]])
    await close()
    expect((await billOf(who.accountId)).bytes).toHaveLength(2)
  })

  it('cannot be changed, and refuses lines that do not continue it', async () => {
    const who = await customerWith(db, { paid: gb })
    await use(who, 10n)
    await later(2)
    await close()
    const refused = (text: string) => expect(database.pool.query(text)).rejects.toThrow(/refused|continues/)
    await refused('update bill_line set charged_bytes = 11')
    await refused('delete from bill_line')
    await refused('truncate bill_line')
    const insert = (number: string, hour: string, balance: bigint) =>
      `insert into bill_line (account_id, line, hour, pool, credited_bytes, charged_bytes, requests, balance_bytes)
       values (${who.accountId}, ${number}, ${hour}, 'residential', 0, 10, 0, ${balance})`
    const now = `date_trunc('hour', now(), 'UTC')`
    await refused(insert('2', now, gb - 10n))
    await refused(insert('3', now, gb - 20n))
    await refused(insert('1', now, gb - 20n))
    await refused(insert('2', `${now} - interval '9 hours'`, gb - 20n))
    expect((await billOf(who.accountId)).lines).toHaveLength(1)
  })

  it('is made once by any number of processes', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => customerWith(db, { paid: gb })))
    for (const who of all) await use(who, 10n)
    await later(2)
    const made = await Promise.all([close(), close(), close()])
    expect(made.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(5)
    for (const { accountId } of all) expect((await billOf(accountId)).lines).toHaveLength(1)
  })
})
