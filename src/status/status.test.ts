import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ConnectionRecord } from '#feed/connection.record'
import { eraseRequests, forgetOutcomes } from '#requests'
import { app, type App } from '#test/app'
import { connectionOf, keepConnections, refusedWith } from '#test/connections'
import { newAccess } from '#test/people'
import { addUpStatus, openIncident, readStatus, updateIncident } from './status.ts'

const pool = 'residential'
const noon = new Date('2026-11-20T12:07:00Z')

let shop: App
let db: App['database']['db']
beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  db = shop.database.db
})
afterAll(() => shop.close())
beforeEach(async () => {
  shop.clock.now = noon
  await sql`truncate connection_outcome, status_day, status_now, status_look, incident cascade`.execute(db)
})

type Who = Awaited<ReturnType<typeof newAccess>>
const customers = (count: number): Promise<Who[]> =>
  Promise.all(Array.from({ length: count }, () => newAccess(db, pool)))

/** So many connections of a customer with the same end. */
async function connects(who: Who, count: number, rest: Partial<ConnectionRecord> = {}, at = noon) {
  const ended = { at_ms: at.getTime() - 1000, ended_ms: 1000, settings: 'cc-us', ...rest }
  await keepConnections(
    db,
    Array.from({ length: count }, () => connectionOf(who, at, ended)),
    at,
  )
}

async function look(at = noon) {
  await addUpStatus(db, at)
  const { pools, places } = await readStatus(db, at)
  const found = pools.find((one) => one.pool === pool)
  if (found === undefined) throw new Error('the pool is not sold')
  return { ...found, today: found.days.at(-1), places }
}

describe('the state of a pool', () => {
  it('is computed from the connections of all customers who are not excluded', async () => {
    const all = await customers(6)
    for (const who of all) await connects(who, 20)
    const { state, success, today, places } = await look()
    expect({ state, success, today }).toEqual({
      state: 'operational',
      success: 1,
      today: { day: '2026-11-20', state: 'operational', success: 1 },
    })
    expect(places).toEqual([{ pool, country: 'us', state: 'operational', success: 1 }])
  })

  it('is degraded, and then an outage, when several customers fail', async () => {
    const all = await customers(6)
    for (const who of all) {
      await connects(who, 40)
      await connects(who, 10, refusedWith('exit_failed'))
    }
    expect(await look()).toMatchObject({ state: 'degraded', success: 0.8 })
    for (const who of all) await connects(who, 100, refusedWith('exits_down'))
    expect(await look()).toMatchObject({ state: 'outage' })
  })

  it('is not known with few customers or few connections', async () => {
    for (const who of await customers(4)) await connects(who, 60)
    expect(await look()).toMatchObject({ state: 'unknown', success: null, places: [] })
    const [last] = await customers(1)
    if (last !== undefined) await connects(last, 1)
    expect(await look()).toMatchObject({ state: 'operational' })
    const { rows } = await sql`select 1 from status_day where counted < 50`.execute(db)
    expect(rows).toEqual([])
  })

  it('cannot be changed by one customer, nor by two accounts, who make targets or exits fail', async () => {
    const [first, second, ...others] = await customers(8)
    for (const who of others) await connects(who, 30)
    if (first === undefined || second === undefined) throw new Error('no customers')
    for (const who of [first, second])
      for (const code of ['exit_failed', 'exit_unreachable', 'connection_refused', 'dns_error'] as const)
        await connects(who, 300, refusedWith(code))
    const { state, success, places } = await look()
    expect({ state, success }).toEqual({ state: 'operational', success: 1 })
    expect(places).toMatchObject([{ country: 'us', state: 'operational', success: 1 }])
  })

  it('counts dead targets as served, and nothing that a customer caused or that is not clear', async () => {
    for (const who of await customers(6)) {
      await connects(who, 20, refusedWith('connection_timeout'))
      for (const code of ['port_forbidden', 'no_exit', 'exit_or_target_failed', 'bad_username'] as const)
        await connects(who, 20, refusedWith(code))
    }
    expect(await look()).toMatchObject({ state: 'operational', success: 1 })
  })

  it('is that of the last hour where this has enough traffic', async () => {
    const all = await customers(6)
    const before = new Date('2026-11-20T06:00:00Z')
    for (const who of all) await connects(who, 300, {}, before)
    expect(await look()).toMatchObject({ state: 'operational' })
    for (const who of all) await connects(who, 20, refusedWith('exit_refused'))
    expect(await look()).toMatchObject({ state: 'outage', today: { state: 'degraded' } })
  })

  it('keeps a day when the customers’ rows are gone, also after an erasure', async () => {
    const all = await customers(6)
    for (const who of all) await connects(who, 20)
    await look()
    const next = new Date('2026-11-21T00:10:00Z')
    expect(await look(next)).toMatchObject({ state: 'unknown', success: 1, today: { state: 'unknown' } })
    const later = new Date('2026-11-23T00:10:00Z')
    await forgetOutcomes(db, later)
    for (const { accountId } of all) await eraseRequests(db, accountId)
    const { days, success } = await look(later)
    expect(success).toBe(1)
    expect(days.slice(-4).map(({ state }) => state)).toEqual(['operational', 'unknown', 'unknown', 'unknown'])
    expect((await sql`select from connection_outcome`.execute(db)).rows).toEqual([])
    expect(await look(new Date('2027-02-18T00:10:00Z'))).toMatchObject({ success: null })
  })

  it('is computed once by two workers, and is unknown when none runs', async () => {
    for (const who of await customers(6)) await connects(who, 20)
    await Promise.all([addUpStatus(db, noon), addUpStatus(db, noon)])
    const { rows } = await sql<{ counted: bigint }>`select counted from status_day order by country`.execute(
      db,
    )
    expect(rows.map(({ counted }) => counted)).toEqual([80n, 80n])
    const { pools } = await readStatus(db, new Date(noon.getTime() + 13 * 3_600_000))
    expect(pools.find((one) => one.pool === pool)).toMatchObject({ state: 'unknown', success: 1 })
  })
})

describe('what everybody sees', () => {
  const texts = {
    title: { ru: 'Сбой <у продавца>', en: 'A seller & its servers' },
    pools: ['residential' as const],
    state: 'investigating' as const,
    text: { ru: 'Выясняем.', en: 'We investigate.\u0007' },
  }

  it('has shares and no counts, and the incidents in the reader’s language', async () => {
    for (const who of await customers(6)) await connects(who, 20)
    await addUpStatus(db, noon)
    const id = await db.transaction().execute((tx) => openIncident(tx, texts, noon))
    const answer = await shop.anyone('get_status', {})
    expect(answer.updated_at).toBe(noon.toISOString())
    expect(JSON.stringify(answer)).not.toMatch(/customers|counted|failed|account/)
    expect(answer.incidents).toMatchObject([
      { id: String(id), title: texts.title.ru, state: 'investigating', resolved_at: null },
    ])
    const later = new Date(noon.getTime() + 60_000)
    const text = { ru: 'Починено.', en: 'Repaired.' }
    await db.transaction().execute((tx) => updateIncident(tx, { id, state: 'resolved', text }, later))
    expect((await shop.anyone('get_status', {})).incidents).toMatchObject([
      {
        state: 'resolved',
        resolved_at: later.toISOString(),
        updates: [{ text: text.ru }, { text: 'Выясняем.' }],
      },
    ])
  })

  it('is a feed of incidents that stays well-formed whatever they say', async () => {
    await db.transaction().execute((tx) => openIncident(tx, texts, noon))
    const answer = await fetch(`${shop.origin}/en/status.atom`)
    const body = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/atom+xml; charset=utf-8',
    ])
    expect(body).toContain('<title>A seller &amp; its servers — investigating</title>')
    expect(body).not.toContain('\u0007')
    expect(await (await fetch(`${shop.origin}/status.atom`)).text()).toContain(
      'Сбой &lt;у продавца&gt; — разбираемся',
    )
  })
})
