import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import type { Report, ReportLine } from '#feed'
import { testDatabase } from '#test/database'
import { hoursLater } from '#test/ledger'
import { newAccess } from '#test/people'
import { wrongInBooks } from '#test/traffic'
import { sized } from '#test/size'
import {
  addUpHours,
  balancesOf,
  creditTraffic,
  expireLeases,
  lease,
  openMeter,
  recover,
  settle,
  usageDays,
} from './traffic.ts'

/**
 * Random actions of two customers and three gateways. The gateways are honest: they spend only granted bytes.
 * They are killed and restarted, their reports arrive late, twice and in any order, and some leases expire
 * before their last report arrives.
 */

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

/** Few, with small balances, so that their leases compete and their balances are exhausted. */
const customers = 2
const gateways = 3
const who = fc.nat(customers - 1)
const where = fc.nat(gateways - 1)

const step = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('credit'),
      who,
      part: fc.constantFrom('paid', 'bonus'),
      bytes: fc.integer({ min: 1, max: 100_000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('lease'),
      who,
      where,
      want: fc.integer({ min: 1, max: 2_000_000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('spend'),
      who,
      where,
      part: fc.integer({ min: 0, max: 4 }),
      close: fc.boolean(),
      day: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('deliver'),
      picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill'), where, reported: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add up') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hour') }) },
) as fc.Arbitrary<Step>

type Step =
  | { do: 'credit'; who: number; part: 'paid' | 'bonus'; bytes: number }
  | { do: 'lease'; who: number; where: number; want: number }
  | { do: 'spend'; who: number; where: number; part: number; close: boolean; day: number }
  | { do: 'deliver'; picks: number[] }
  | { do: 'kill'; where: number; reported: boolean }
  | { do: 'expire' }
  | { do: 'add up' }
  | { do: 'hour' }

const isSameBoot = (one: Report, other: Report) => one.gateway === other.gateway && one.boot === other.boot

let runs = 0

class World {
  readonly people: { accessId: bigint; accountId: bigint; pool: 'residential' }[] = []
  readonly run = ++runs
  readonly boots = Array.from({ length: gateways }, () => 1)
  readonly sequences = new Map<string, number>()
  /** The leases of each boot, by account. */
  readonly purses = new Map<string, { lease: bigint; left: bigint }>()
  readonly reports: Report[] = []
  readonly delivered = new Set<Report>()
  credited = 0n
  /** Whether a lease was ever closed before all of its bytes were reported. */
  isLossPossible = false

  async open(): Promise<void> {
    for (let index = 0; index < customers; index++) {
      const person = { ...(await newAccess(db, 'residential')), pool: 'residential' as const }
      await openMeter(db, person)
      this.people.push(person)
      await this.credit({ who: index, part: 'paid', bytes: 150_000 })
      await this.credit({ who: index, part: 'bonus', bytes: 30_000 })
    }
  }

  holder(where: number) {
    return { gateway: `run${this.run}gw${where}`, boot: `b${this.boots[where]}` }
  }

  person(index: number) {
    const person = this.people[index]
    if (person === undefined) throw new Error(`nobody is number ${index}`)
    return person
  }

  purseKey(where: number, access: bigint): string {
    return `${where} ${this.boots[where]} ${access}`
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'credit':
        return this.credit(step)
      case 'lease': {
        const access = this.person(step.who).accessId
        if (this.isClosing(step.where, access)) return
        const grant = await lease(db, this.holder(step.where), { access, want_bytes: BigInt(step.want) })
        if (grant.granted_bytes === 0n) return
        const key = this.purseKey(step.where, access)
        const held = this.purses.get(key)
        const left = held?.lease === grant.lease ? held.left : 0n
        this.purses.set(key, { lease: grant.lease, left: left + grant.granted_bytes })
        return
      }
      case 'spend':
        return this.spend(step)
      case 'deliver':
        return this.deliver(step.picks)
      case 'kill':
        // A gateway that starts again first sends the reports of its journal, unless the journal is
        // unavailable.
        if (step.reported) await this.deliver([...this.reports.keys()])
        else this.isLossPossible = true
        this.boots[step.where] = (this.boots[step.where] ?? 0) + 1
        await recover(db, this.holder(step.where))
        return
      case 'expire':
        this.isLossPossible = true
        await sql`update lease set opened_at = now() - interval '1 hour' where gateway like ${`run${this.run}gw%`}`.execute(
          db,
        )
        await sql`update gateway_boot set seen_at = now() - interval '1 hour' where gateway like ${`run${this.run}gw%`}`.execute(
          db,
        )
        await expireLeases(db)
        return
      case 'add up':
        await addUpHours(db)
        return
      case 'hour':
        // The hour in the ledger is that of the database's clock, not of the reports.
        await hoursLater(database, 1)
    }
  }

  /**
   * A gateway requests nothing while its report that closes the lease is not settled: the grant could extend
   * that lease.
   */
  isClosing(where: number, access: bigint): boolean {
    const { gateway, boot } = this.holder(where)
    return this.reports.some(
      (report) =>
        report.gateway === gateway &&
        report.boot === boot &&
        !this.delivered.has(report) &&
        report.lines.some((line) => line.access === access && line.close),
    )
  }

  async credit({ who, part, bytes }: { who: number; part: 'paid' | 'bonus'; bytes: number }): Promise<void> {
    this.credited += BigInt(bytes)
    const reference = `${this.run} ${this.credited}`
    const { accessId } = this.person(who)
    await creditTraffic(db, { accessId, part, bytes: BigInt(bytes), kind: 'test_credit', reference })
  }

  async deliver(picks: readonly number[]): Promise<void> {
    const picked = picks.flatMap((pick) => this.reports[pick % this.reports.length] ?? [])
    for (const report of picked) this.delivered.add(report)
    await settle(db, picked)
    // A lease was closed before all of its bytes were reported: other leases may spend what it still owes.
    for (const late of this.reports)
      if (
        !this.delivered.has(late) &&
        picked.some((report) => isSameBoot(report, late) && report.sequence > late.sequence)
      )
        this.isLossPossible = true
  }

  spend({ who, where, part, close, day }: Extract<Step, { do: 'spend' }>): void {
    const access = this.person(who).accessId
    const key = this.purseKey(where, access)
    const purse = this.purses.get(key)
    if (purse === undefined) return
    const bytes = (purse.left * BigInt(part)) / 4n
    purse.left -= bytes
    if (close) this.purses.delete(key)
    const holder = this.holder(where)
    const name = `${holder.gateway} ${holder.boot}`
    const sequence = (this.sequences.get(name) ?? 0) + 1
    this.sequences.set(name, sequence)
    const line: ReportLine = { lease: purse.lease, access, charged_bytes: bytes, requests: 1, close }
    this.reports.push({ ...holder, sequence, at_ms: Date.UTC(2026, 0, 1 + day, 12), lines: [line] })
  }

  /** The final state of all accounts. */
  async outcome() {
    let held = 0n
    let charged = 0n
    let requests = 0n
    for (const person of this.people) {
      held += (await balancesOf(db, person.accountId)).get('residential')?.total ?? 0n
      for (const day of await usageDays(db, { ...person, from: '2026-01-01', to: '2026-01-03' })) {
        charged += day.chargedBytes
        requests += day.requests
      }
    }
    const { rows } = await sql<{ bytes: bigint }>`
      select coalesce(sum(w.bytes), 0)::bigint as bytes from write_off w join lease l on l.id = w.lease_id
      where l.gateway like ${`run${this.run}gw%`}`.execute(db)
    const relayed = this.reports.reduce((sum, report) => sum + (report.lines[0]?.charged_bytes ?? 0n), 0n)
    return { held, charged, requests, lost: rows[0]?.bytes ?? 0n, relayed }
  }
}

it('the settlement charges every relayed byte once, to the customer or to the house, in any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = new World()
      await world.open()
      for (const one of steps) await world.take(one)
      // In the end every report has arrived, and is repeated once more.
      await settle(db, world.reports.toReversed())
      await settle(db, world.reports)
      const { held, charged, requests, lost, relayed } = await world.outcome()
      expect(charged + lost).toBe(relayed)
      expect(held).toBe(world.credited - charged)
      expect(requests).toBe(BigInt(world.reports.length))
      if (!world.isLossPossible) expect(lost).toBe(0n)
      expect(await wrongInBooks(db)).toEqual([])
    }),
    { numRuns: sized(15, 50) },
  )
}, 120_000)
