import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { holdAudit, oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'

let shop: App
let office: Desk
let owner: StaffMember
let id: string

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('mobile', 'one', 'direct', true) returning id`,
  )
  id = String(rows[0]?.id)
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

const terms = {
  per_gb_micros: '1200000',
  month_micros: '99000000',
  binary_gb: false,
  rounding: 'none',
} as const
const today = () => shop.clock.now.toISOString().slice(0, 10)
const costs = async () => (await owner.call('exit_costs', { id })).rows

describe('what an exit costs', () => {
  it('is set from a day on; its history and the former cost in the audit trail are kept', async () => {
    await owner.call('set_exit_cost', { id, ...terms, from: '2026-01-01' })
    await owner.call('set_exit_cost', {
      id,
      ...terms,
      per_gb_micros: '900000',
      from: '2099-01-01',
      reason: 'a new contract',
    })
    expect(await costs()).toMatchObject([
      { from: '2099-01-01', per_gb_micros: '900000', in_force: false },
      { from: '2026-01-01', per_gb_micros: '1200000', month_micros: '99000000', in_force: true },
    ])
    const { rows } = await owner.call('audit', { action: 'set_exit_cost' })
    expect(rows[0]).toMatchObject({
      subject_id: id,
      reason: 'a new contract',
      before: { per_gb_micros: '1200000', from: '2026-01-01' },
      after: { per_gb_micros: '900000', from: '2099-01-01' },
    })
  })

  it('is neither changed nor deleted in the database', async () => {
    for (const statement of [
      'update exit_cost set per_gb_micros = 0',
      'delete from exit_cost',
      'truncate exit_cost',
    ])
      await expect(shop.database.pool.query(statement)).rejects.toThrow('append-only')
  })

  it.each([
    { per_gb_micros: '-1' },
    { per_gb_micros: '1000000000000' },
    { month_micros: '1.5' },
    { from: '2026-02-30' },
    { rounding: 'sideways' },
  ])('is refused when it is not a valid cost: %o', async (wrong) => {
    const before = await costs()
    const call = owner.call('set_exit_cost', { id, ...terms, from: today(), ...(wrong as object) })
    expect((await refusalOf(call)).status).toBe(422)
    expect(await costs()).toEqual(before)
  })

  it('is refused for an exit that is not there', async () => {
    const call = owner.call('set_exit_cost', { id: '999999', ...terms, from: today() })
    expect((await refusalOf(call)).code).toBe('exit_not_found')
  })

  describe('that another member changes at the same time', () => {
    const newExit = async () => {
      const { rows } = await shop.database.pool.query<{ id: bigint }>(
        `insert into exit (pool, name, kind, everywhere)
         values ('mobile', 'busy ' || random(), 'direct', true) returning id`,
      )
      return String(rows[0]?.id)
    }
    /** Begins the second change when the first one is done, and not committed yet. */
    const atOnce = async (first: () => Promise<unknown>, second: () => Promise<unknown>) => {
      const letEntriesIn = await holdAudit(shop.database)
      const begun = first()
      await oneWaitsForLock(shop.database.db)
      const both = [begun, second()]
      await someWaitForLock(shop.database.db, 2)
      await letEntriesIn()
      await Promise.all(both)
    }

    it('ends with the exit that is removed', async () => {
      const busy = await newExit()
      await atOnce(
        () => owner.call('set_exit_cost', { id: busy, ...terms, from: '2026-01-01' }),
        () => owner.call('remove_exit', { id: busy, reason: 'a test' }),
      )
      const { rows } = await shop.database.pool.query(
        'select month_micros from exit_cost where exit_id = $1 order by id desc limit 1',
        [busy],
      )
      expect(rows).toEqual([{ month_micros: 0n }])
    })

    it('is recorded beside the cost before it', async () => {
      const busy = await newExit()
      const set = (perGb: string) =>
        owner.call('set_exit_cost', { id: busy, ...terms, per_gb_micros: perGb, from: '2026-01-01' })
      await atOnce(
        () => set('1'),
        () => set('2'),
      )
      const { rows } = await owner.call('audit', { action: 'set_exit_cost', subject_id: busy })
      expect(rows[0]).toMatchObject({ before: { per_gb_micros: '1' }, after: { per_gb_micros: '2' } })
    })
  })

  it('ends with the month when the exit is removed, and remains in the history', async () => {
    await owner.call('remove_exit', { id, reason: 'the contract ended' })
    const { rows } = await shop.database.pool.query<{
      from_day: string
      per_gb_micros: bigint
      month_micros: bigint
    }>(
      'select from_day::text, per_gb_micros, month_micros from exit_cost where exit_id = $1 order by id offset 2',
      [id],
    )
    expect(rows).toEqual([
      { from_day: today(), per_gb_micros: 1_200_000n, month_micros: 0n },
      { from_day: '2099-01-01', per_gb_micros: 900_000n, month_micros: 0n },
    ])
  })
})
