/** `openPast` posts the invented past of a demo; it is available only before the ledger's first entry. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { testDatabase } from '#test/database'
import { newAccount } from '#test/people'
import { customer, entriesOfUser, house, openPast, post } from './ledger.ts'

let database: Database
let db: Database['db']
let customerId: bigint

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  customerId = await newAccount(db)
})
afterAll(() => database.close())

const at = new Date(Date.now() - 20 * 86_400_000)
const entry = (reference: string) => ({
  kind: 'purchase',
  reference,
  postings: [
    { account: house.trafficSold('mobile'), amount: -10n },
    { account: customer.trafficPaid(customerId, 'mobile'), amount: 10n },
  ],
})
const posted = async () =>
  (await entriesOfUser(db, customerId, { before: null, limit: 10 })).map((one) => [
    one.reference,
    one.at.getTime() === at.getTime(),
  ])
const insertAt = (reference: string) =>
  sql`insert into ledger_transaction (kind, reference, posted_at) values ('purchase', ${reference}, ${at})`

describe('openPast', () => {
  it('posts a past of several transactions at their times, while the ledger is empty', async () => {
    await transaction(db, async (tx) => {
      const postPast = await openPast(tx)
      await postPast?.(at, entry('first'))
      await postPast?.(at, entry('second'))
      // A second call within the same transaction succeeds.
      expect(await openPast(tx)).not.toBeNull()
    })
    expect(await posted()).toEqual([
      ['second', true],
      ['first', true],
    ])
  })

  it('is refused once an earlier transaction has posted a past', async () => {
    expect(await transaction(db, openPast)).toBeNull()
    await expect(insertAt('third').execute(db)).rejects.toMatchObject({
      constraint: 'ledger_past_comes_first',
    })
  })

  it('is refused after an entry of the shop, also in the transaction that made it', async () => {
    expect(await post(db, entry('real'))).toBe('posted')
    expect(await transaction(db, openPast)).toBeNull()
    await expect(insertAt('fourth').execute(db)).rejects.toThrow('takes no past any more')
    expect((await posted())[0]).toEqual(['real', false])
  })

  it('waits for a posting that is not committed yet, and then is refused', async () => {
    const other = await testDatabase()
    const owner = await newAccount(other.db)
    const done: string[] = []
    const postings = [
      { account: house.trafficSold('mobile'), amount: -10n },
      { account: customer.trafficPaid(owner, 'mobile'), amount: 10n },
    ]
    let opening: Promise<unknown> = Promise.resolve()
    await transaction(other.db, async (tx) => {
      await post(tx, { kind: 'purchase', reference: 'real', postings })
      opening = transaction(other.db, openPast).then((past) => {
        done.push('opened')
        return past
      })
      const waits = sql<{ waits: boolean }>`
        select exists (select from pg_locks where relation = 'ledger_transaction'::regclass and not granted) as waits`
      while ((await waits.execute(other.db)).rows[0]?.waits !== true);
      done.push('posted')
    })
    expect(await opening).toBeNull()
    expect(done).toEqual(['posted', 'opened'])
    await other.close()
  })
})
