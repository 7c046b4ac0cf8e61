import { beforeEach, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import { proxyUserId } from '#feed/user.ids'
import { Meter } from './meter.ts'

const payer = 1n
const one = proxyUserId(payer, 1n)
const other = proxyUserId(payer, 2n)
const identity = { gateway: 'g1', boot: 'b1' }

let feed: MemoryFeed
let meter: Meter
let now: number
let sequence: number

beforeEach(() => {
  feed = new MemoryFeed()
  feed.balances.set(payer, 1_000_000n)
  feed.balances.set(one, 300n)
  feed.balances.set(other, 10_000_000n)
  now = 0
  sequence = 0
  meter = new Meter({ feed, identity, now: () => now })
})

/** Reports what was relayed; returns the lines. */
async function report(closeAll = false) {
  const lines = meter.collect({ closeAll })
  if (lines.length > 0) await feed.report({ ...identity, sequence: ++sequence, at_ms: 0, lines })
  meter.settled(lines)
  return lines
}

it('every byte is counted for the proxy user, and paid once by its account', async () => {
  const [first, second, own] = [meter.hold(one), meter.hold(other), meter.hold(payer)]
  await Promise.all([first.more(1), second.more(1), own.more(1)])
  const exit = second.uses.of(9n)
  for (const [lease, bytes] of [
    [first, 100],
    [second, 1000],
    [own, 10],
  ] as const) {
    expect(lease.reserve(bytes, 2)).toBe(bytes)
    lease.countRequest(exit)
    lease.settle(bytes * 2, exit, bytes)
  }
  const lines = await report()
  expect(lines.filter(({ access }) => access === payer)).toMatchObject([
    { exit: 9n, charged_bytes: 2220n, relayed_bytes: 1110n, requests: 3 },
  ])
  expect(feed.charged).toEqual(
    new Map([
      [payer, 2220n],
      [one, 200n],
      [other, 2000n],
    ]),
  )
  expect([...feed.requests.values()].toSorted((one, other) => one - other)).toEqual([1, 1, 3])
  for (const lease of [first, second, own]) lease.holders--
  await report(true)
  expect(feed.faults).toEqual([])
  expect(feed.balances.get(payer)).toBe(1_000_000n - 2220n)
})

it('at most what both leases leave is covered, and unsent bytes return to both', async () => {
  const lease = meter.hold(one)
  expect(await lease.more(1)).toBe(true)
  expect(lease.reserve(1000, 1)).toBe(300)
  expect(lease.reserve(1, 1)).toBe(0)
  lease.release(100)
  expect(lease.reserve(1000, 2)).toBe(50)
  lease.settle(300)
  expect(await lease.more(1)).toBe(false)
  await report(true)
  expect(feed.charged).toEqual(
    new Map([
      [payer, 300n],
      [one, 300n],
    ]),
  )
})

it('a recall of the account’s lease leaves those of its proxy users alone, and vice versa', async () => {
  const leases = [meter.hold(one), meter.hold(other)]
  await Promise.all(leases.map((lease) => lease.more(1)))
  const asked = feed.leaseCalls
  meter.recall(payer)
  now = 1000
  expect((await report()).map(({ access, close }) => [access, close])).toEqual([[payer, true]])
  meter.recall(one)
  now = 2000
  expect((await report()).map(({ access, close }) => [access, close])).toEqual([[one, true]])
  expect(feed.leaseCalls).toBe(asked)
})

it('an exhausted balance is requested once for a thousand proxy users, not once for each of them', async () => {
  const ids = Array.from({ length: 1000 }, (_, index) => proxyUserId(payer, BigInt(index + 10)))
  for (const id of ids) feed.balances.set(id, 1n << 40n)
  const leases = ids.map((id) => meter.hold(id))
  await Promise.all(leases.map((lease) => lease.more(1)))
  let relayed = 0
  for (const lease of leases) {
    const covered = lease.reserve(5000, 1)
    lease.settle(covered)
    relayed += covered
  }
  expect(relayed).toBe(1_000_000)
  await report()
  const asked = feed.leaseCalls
  now = 500
  const more = await Promise.all(leases.map((lease) => lease.more(1)))
  expect(more.filter(Boolean)).toEqual([])
  expect(feed.leaseCalls - asked).toBeLessThanOrEqual(2)
})

it('a proxy user with a reserve spends its own lease, and needs none of its account', async () => {
  const reserved = proxyUserId(payer, 3n, true)
  feed.balances.set(payer, 0n)
  feed.balances.set(reserved, 500n)
  const lease = meter.hold(reserved)
  expect(await lease.more(1)).toBe(true)
  const exit = lease.uses.of(9n)
  expect(lease.reserve(1000, 1)).toBe(500)
  lease.countRequest(exit)
  lease.settle(500, exit, 500)
  expect(meter.heldBytes).toBe(0)
  expect(await report()).toMatchObject([
    { access: reserved, exit: 9n, charged_bytes: 500n, relayed_bytes: 500n, requests: 1 },
  ])
  expect([...feed.charged]).toEqual([[reserved, 500n]])
  expect(await lease.more(1)).toBe(false)
  lease.holders--
})
