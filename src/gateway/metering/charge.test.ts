import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import { Charge } from './charge.ts'
import { Forgiveness } from './forgiveness.ts'
import { Meter } from './meter.ts'

const HOUR_MS = 3_600_000
const BUDGET = 50_000
const BALANCE = 1_000_000_000n

/** The charge of a tunnel or request, with the test's own counts. */
interface Counted {
  charge: Charge
  account: bigint
  multiplier: 1 | 2
  /** Reserved, and neither accepted nor given back yet. */
  reserved: number
  passed: number
  unsent: number
  /** The forgiven bytes at the last count. */
  forgiven: number
}

const identity = { gateway: 'g1', boot: 'b1' }

const acts = [
  ...(['reserve', 'reserve', 'reserve', 'sent', 'sent', 'sent', 'restart', 'restart'] as const),
  ...(['unsent', 'commit', 'failed', 'report', 'hour'] as const),
]

describe('charges', () => {
  const bytes = fc.nat(70_000)
  const step = fc.record({
    of: fc.nat(5),
    act: fc.constantFrom(...acts),
    bytes,
  })
  const kinds = fc.array(
    fc.record({
      account: fc.constantFrom(1n, 1n, 2n),
      multiplier: fc.constantFrom(1 as const, 2 as const),
      reachesTarget: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )

  it('charge, forgive and give back exactly what passed, and forgive no account more than its budget', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(step, { maxLength: 80, size: 'max' }), async (made, steps) => {
        const feed = new MemoryFeed()
        const { access } = feed.addAccount('alice1', 'secret', BALANCE)
        let now = 0
        let sequence = 0
        const meter = new Meter({ feed, identity, now: () => now })
        const lease = meter.hold(access)
        await lease.more(100_000_000)
        const forgiveness = new Forgiveness(BUDGET, () => now)
        const all: Counted[] = made.map(({ account, multiplier, reachesTarget }) => {
          const charge = new Charge(lease, multiplier, { account, forgiveness })
          charge.reachesTarget = reachesTarget
          return { charge, account, multiplier, reserved: 0, passed: 0, unsent: 0, forgiven: 0 }
        })
        const report = async (closeAll: boolean) => {
          const lines = meter.collect({ closeAll })
          if (lines.length > 0) await feed.report({ ...identity, sequence: ++sequence, at_ms: 0, lines })
          meter.settled(lines)
        }
        const inHour = new Map<bigint, number>()
        const countForgiven = (one: Counted) => {
          const added = one.charge.forgivenBytes - one.forgiven
          one.forgiven = one.charge.forgivenBytes
          expect(added).toBeGreaterThanOrEqual(0)
          inHour.set(one.account, (inHour.get(one.account) ?? 0) + added)
          expect(inHour.get(one.account)).toBeLessThanOrEqual(BUDGET)
        }
        for (const { of, act, bytes: asked } of steps) {
          const one = all[of % all.length]
          if (one === undefined) continue
          const { charge } = one
          const part = Math.min(asked, one.reserved)
          if (act === 'reserve') {
            const reserved = charge.reserve(asked)
            one.reserved += reserved
            one.passed += reserved
          } else if (act === 'sent') {
            charge.sent(part)
            one.reserved -= part
          } else if (act === 'unsent') {
            charge.unsent(part)
            one.reserved -= part
            one.unsent += part
          } else if (act === 'restart') charge.restart()
          else if (act === 'commit') charge.commit()
          else if (act === 'failed') charge.failed()
          else if (act === 'report') await report(false)
          else {
            now += HOUR_MS
            inHour.clear()
          }
          countForgiven(one)
        }
        // Every tunnel and request ends, by an answer or by a failure.
        for (const [index, one] of all.entries()) {
          one.charge.unsent(one.reserved)
          one.unsent += one.reserved
          if (index % 2 === 0) one.charge.failed()
          else one.charge.commit()
          countForgiven(one)
        }
        lease.holders--
        await report(true)
        let due = 0n
        for (const { charge, passed, unsent, multiplier } of all) {
          expect(charge.relayedBytes).toBe(passed - unsent)
          due += BigInt((passed - unsent - charge.forgivenBytes) * multiplier)
        }
        expect(feed.faults).toEqual([])
        expect(feed.charged.get(access) ?? 0n).toBe(due)
        expect(feed.balances.get(access)).toBe(BALANCE - due)
      }),
      { numRuns: 300 },
    )
  })

  it('to the target itself are never forgiven, however they fail', async () => {
    const feed = new MemoryFeed()
    const { access } = feed.addAccount('alice1', 'secret', BALANCE)
    const lease = new Meter({ feed, identity, now: () => 0 }).hold(access)
    await lease.more(10)
    const charge = new Charge(lease, 1, { account: 1n, forgiveness: new Forgiveness(BUDGET, () => 0) })
    charge.reachesTarget = true
    charge.sent(charge.reserve(10))
    charge.failed()
    expect([charge.relayedBytes, charge.forgivenBytes]).toEqual([10, 0])
  })
})

describe('forgiveness', () => {
  it('is at most what is left of the account’s budget for the hour, which begins anew with the next hour', () => {
    let now = HOUR_MS - 1
    const forgiveness = new Forgiveness(100, () => now)
    expect([60, 60, 60].map((bytes) => forgiveness.forgive(1n, bytes))).toEqual([60, 40, 0])
    expect(forgiveness.forgive(2n, 100)).toBe(100)
    now = HOUR_MS
    expect(forgiveness.forgive(1n, 60)).toBe(60)
  })

  it('is nothing with a budget of 0', () => {
    expect(new Forgiveness(0, () => 0).forgive(1n, 1)).toBe(0)
  })
})
