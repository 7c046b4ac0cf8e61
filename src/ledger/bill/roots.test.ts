import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { billStart } from '#contract/bill/bill'
import { readProof, rootOf, verifyRoots } from '#contract/bill/roots'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { customerWith } from '#test/traffic'
import { makeBillRoot } from '#ledger'
import { billProof, billRoots } from './roots.ts'

let database: Database
let db: Database['db']
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const at = (day: string, time = '00:03') => new Date(`${day}T${time}:00Z`)

/** The next line of a customer's bill. */
async function bill(accountId: bigint, hour: string): Promise<void> {
  await sql`
    insert into bill_line (account_id, line, hour, pool, credited_bytes, charged_bytes, requests, balance_bytes)
    select ${accountId}, coalesce(max(line), 0) + 1, ${hour}::timestamptz, 'residential', 100, 10, 0, coalesce(sum(90), 0) + 90
    from bill_line where account_id = ${accountId}`.execute(db)
  await sql`
    insert into bill_pool (account_id, pool, hour, hour_bytes, balance_bytes) values (${accountId}, 'residential', ${hour}::timestamptz, 10, 0)
    on conflict (account_id, pool) do update set hour = excluded.hour`.execute(db)
}

describe('the root of a day', () => {
  it('is made once a day by any number of processes, over all bills, and each customer can prove theirs', async () => {
    expect(await makeBillRoot(db, at('2026-11-01'))).toBe(false)
    expect(await billRoots(db)).toBe('day_utc,root,sha256\n')
    const all = await Promise.all(Array.from({ length: 3 }, () => customerWith(db, { paid: 1n })))
    const without = await customerWith(db, { paid: 1n })
    for (const { accountId } of all) await bill(accountId, '2026-10-31T22:00Z')
    const made = await Promise.all(Array.from({ length: 3 }, () => makeBillRoot(db, at('2026-11-01'))))
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await makeBillRoot(db, at('2026-11-01', '23:03'))).toBe(false)
    const [one] = all
    if (one === undefined) return
    const first = await billProof(db, { accountId: one.accountId, day: null })
    await bill(one.accountId, '2026-11-01T05:00Z')
    // A day on which the worker did not run has no root.
    expect(await makeBillRoot(db, at('2026-11-03'))).toBe(true)
    expect(await makeBillRoot(db, at('2026-11-02'))).toBe(false)
    const verdict = await verifyRoots(await billRoots(db))
    if (!verdict.ok) throw new Error(`line ${verdict.line} of the roots`)
    expect([...verdict.roots.keys()]).toEqual(['2026-11-01', '2026-11-03'])
    const nonces = new Set<string>()
    for (const { accountId } of all)
      for (const day of verdict.roots.keys()) {
        const proof = await billProof(db, { accountId, day })
        expect(readProof(JSON.stringify(proof))).toEqual(proof)
        if (proof === null) throw new Error('no proof')
        nonces.add(proof.nonce)
        expect(proof).toMatchObject({ day, root: verdict.roots.get(day) })
        expect(proof.line).toBe(accountId === one.accountId && day === '2026-11-03' ? 2 : 1)
        expect(await rootOf(proof)).toBe(proof.root)
        expect(await rootOf({ ...proof, head: billStart })).not.toBe(proof.root)
      }
    expect(nonces.size).toBe(6)
    expect(await billProof(db, { accountId: one.accountId, day: '2026-11-01' })).toEqual(first)
    expect(await billProof(db, { accountId: one.accountId, day: null })).toMatchObject({ day: '2026-11-03' })
    expect(await billProof(db, { accountId: one.accountId, day: '2026-11-02' })).toBeNull()
    expect(await billProof(db, { accountId: without.accountId, day: null })).toBeNull()
  })

  it('does not reveal how many customers there are, nor in which order they came', async () => {
    const proofs = []
    const { rows } = await sql<{ id: bigint }>`select distinct account_id as id from bill_line`.execute(db)
    for (const { id } of rows) proofs.push(await billProof(db, { accountId: id, day: null }))
    expect(proofs.map((proof) => proof?.path.length)).toEqual(rows.map(() => 8))
    const { rows: nodes } = await sql<{ size: number; leaves: string }>`
      select length(nodes) as size, encode(substring(nodes for 256 * 32), 'hex') as leaves
      from bill_root order by day desc limit 1`.execute(db)
    expect(nodes[0]?.size).toBe(511 * 32)
    const leaves = nodes[0]?.leaves.match(/.{64}/g) ?? []
    expect(leaves).toEqual(leaves.toSorted())
  })

  it('is never changed, removed or inserted before another', async () => {
    const refused = (text: string) => expect(database.pool.query(text)).rejects.toThrow(/refused|follows/)
    await refused(`update bill_root set made_at = now()`)
    await refused('delete from bill_root')
    await refused('truncate bill_root')
    await refused(
      `insert into bill_root (day, last_line, secret, nodes, made_at)
       select day - 1, last_line, secret, nodes, now() from bill_root order by day desc limit 1`,
    )
  })
})
