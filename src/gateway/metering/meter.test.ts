import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#test/eventually'
import { Charge } from './charge.ts'
import { Forgiveness } from './forgiveness.ts'
import type { ReportLine } from '#feed'
import type { AccountLease } from './account.lease.ts'
import { Meter } from './meter.ts'
import { MemoryFeed } from '#feed/testing'

/** A gateway without sockets: a meter whose reports the test settles. */
class Bare {
  now = 0
  readonly meter: Meter
  readonly identity: { gateway: string; boot: string }
  readonly #feed: MemoryFeed
  #sequence = 0

  constructor(feed: MemoryFeed, gateway: string) {
    this.#feed = feed
    this.identity = { gateway, boot: 'b1' }
    this.meter = new Meter({ feed, identity: this.identity, now: () => this.now })
    feed.subscribe((event) => {
      if (event.type === 'lease_recalled') this.meter.recall(event.access)
    })
  }

  async report(closeAll = false): Promise<ReportLine[]> {
    const lines = this.meter.collect({ closeAll })
    if (lines.length > 0)
      await this.#feed.report({ ...this.identity, sequence: ++this.#sequence, at_ms: 0, lines })
    this.meter.settled(lines)
    return lines
  }
}

function feedWith(balance: bigint): MemoryFeed {
  const feed = new MemoryFeed()
  feed.addAccount('alice1', 'secret', balance)
  return feed
}

describe('an account lease', () => {
  it('never covers more than the balance, whatever two gateways do with it, and reports exactly what was sent', async () => {
    const step = fc.record({
      gateway: fc.constantFrom(0, 1),
      act: fc.constantFrom('spend', 'spend', 'spend', 'give back', 'settle', 'report', 'wait', 'recall'),
      bytes: fc.nat(5000),
      multiplier: fc.constantFrom(1, 2),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 40_000n }),
        fc.array(step, { maxLength: 60 }),
        async (balance, steps) => {
          const feed = feedWith(balance)
          feed.largestGrant = 3000n
          const bares = [new Bare(feed, 'g1'), new Bare(feed, 'g2')]
          const accountLeases = bares.map((bare) => bare.meter.hold(1n) as AccountLease)
          const reserved = [0, 0]
          let sent = 0
          for (const { gateway, act, bytes, multiplier } of steps) {
            const bare = bares[gateway]
            const accountLease = accountLeases[gateway]
            if (bare === undefined || accountLease === undefined) throw new Error('no such gateway')
            bare.now += 30
            const held = reserved[gateway] ?? 0
            const part = Math.min(held, bytes)
            if (act === 'spend')
              reserved[gateway] = held + accountLease.reserve(bytes, multiplier) * multiplier
            else if (act === 'wait')
              await Promise.race([accountLease.more(multiplier), new Promise((done) => setTimeout(done, 2))])
            else if (act === 'recall') accountLease.recall()
            else if (act === 'report') await bare.report()
            else {
              reserved[gateway] = held - part
              if (act === 'settle') {
                sent += part
                accountLease.settle(part)
              } else accountLease.release(part)
            }
            expect(sent + (reserved[0] ?? 0) + (reserved[1] ?? 0)).toBeLessThanOrEqual(Number(balance))
          }
          for (const [index, accountLease] of accountLeases.entries()) {
            accountLease.release(reserved[index] ?? 0)
            accountLease.end()
          }
          await eventually(() => bares.every((bare) => !bare.meter.asking), 'the lease calls')
          for (const bare of bares) await bare.report(true)
          expect(feed.faults).toEqual([])
          expect(feed.leases.size).toBe(0)
          // Only a lease that was recalled while bytes were under way may have charged bytes that were not
          // sent.
          const charged = Number(feed.charged.get(1n) ?? 0n)
          const recalled = steps.some(({ act }) => act === 'recall' || act === 'wait')
          if (recalled) expect(charged).toBeGreaterThanOrEqual(sent)
          else expect(charged).toBe(sent)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('covers a minute of the account’s use within two seconds of its first byte, and two minutes soon after', async () => {
    const feed = feedWith(10n ** 12n)
    feed.largestGrant = 10n ** 12n
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    const perSecond = 50_000_000
    await accountLease.more(1)
    expect(accountLease.heldBytes).toBe(16 * 1024 * 1024)
    for (let ms = 50; ms <= 20_000; ms += 50) {
      bare.now = ms
      const bytes = perSecond / 20
      expect(accountLease.reserve(bytes, 1)).toBe(bytes)
      accountLease.settle(bytes)
      await bare.report()
      await eventually(() => !bare.meter.asking, 'the next lease')
      if (ms >= 2000) expect(accountLease.heldBytes).toBeGreaterThan(60 * perSecond)
      if (ms >= 10_000) expect(accountLease.heldBytes).toBeGreaterThan(89 * perSecond)
      expect(accountLease.heldBytes).toBeLessThan(121 * perSecond)
    }
    // About twice in a minute from then on.
    const calls = feed.leaseCalls
    for (let ms = 20_050; ms <= 140_000; ms += 50) {
      bare.now = ms
      accountLease.settle(accountLease.reserve(perSecond / 20, 1))
      await bare.report()
      if (bare.meter.asking) await eventually(() => !bare.meter.asking, 'the next lease')
    }
    expect(feed.leaseCalls - calls).toBeLessThanOrEqual(5)
    expect(feed.leaseCalls - calls).toBeGreaterThanOrEqual(3)
  })

  it('is exchanged for a smaller one when its account has become slow', async () => {
    const feed = feedWith(10n ** 12n)
    feed.largestGrant = 10n ** 12n
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    await accountLease.more(1)
    const spend = async (bytes: number, seconds: number) => {
      for (let at = 0; at < seconds * 20; at++) {
        bare.now += 50
        accountLease.settle(accountLease.reserve(bytes, 1))
        await bare.report()
        if (bare.meter.asking) await eventually(() => !bare.meter.asking, 'the next lease')
      }
    }
    await spend(1_000_000, 60)
    expect(accountLease.heldBytes).toBeGreaterThan(10 ** 9)
    await spend(1, 180)
    expect(accountLease.heldBytes).toBeLessThanOrEqual(4 * 16 * 1024 * 1024)
    expect(accountLease.heldBytes).toBeGreaterThan(0)
    expect(feed.faults).toEqual([])
  })

  it('sends fewer requests during an outage of the server, and continues afterwards', async () => {
    const feed = feedWith(10n ** 12n)
    feed.largestGrant = 10n ** 12n
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    await accountLease.more(1)
    let asked = 0
    const lease = feed.lease.bind(feed)
    feed.lease = () => {
      asked++
      return Promise.reject(new Error('the server is away'))
    }
    const spend = async (seconds: number) => {
      for (let at = 0; at < seconds * 20; at++) {
        bare.now += 50
        accountLease.settle(accountLease.reserve(10_000, 1))
        await bare.report()
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await spend(60)
    expect(asked).toBeGreaterThan(5)
    expect(asked).toBeLessThan(25)
    feed.lease = lease
    await spend(8)
    expect(accountLease.heldBytes).toBeGreaterThan(90 * 200_000)
    expect(feed.faults).toEqual([])
  })

  it('gives an idle lease back after a minute, and after a tenth of a second when it is recalled', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    await accountLease.more(1)
    accountLease.settle(accountLease.reserve(10, 1))
    expect(await bare.report()).toMatchObject([{ charged_bytes: 10n, close: false }])
    bare.now += 59_999
    expect(await bare.report()).toEqual([])
    bare.now += 1
    expect(await bare.report()).toMatchObject([{ charged_bytes: 0n, close: true }])
    expect(feed.balances.get(1n)).toBe(990n)
    await accountLease.more(1)
    accountLease.recall()
    bare.now += 100
    expect(await bare.report()).toMatchObject([{ close: true }])
    accountLease.holders--
    await bare.report()
    expect(bare.meter.leases).toBe(0)
  })

  it('recalled with bytes under way, reports them, and spends the unsent ones before anything else', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    await accountLease.more(1)
    expect(accountLease.reserve(300, 1)).toBe(300)
    accountLease.recall()
    bare.now += 100
    expect(await bare.report()).toMatchObject([{ charged_bytes: 300n, close: true }])
    expect(feed.balances.get(1n)).toBe(700n)
    accountLease.settle(100)
    accountLease.release(200)
    expect(accountLease.reserve(150, 1)).toBe(150)
    accountLease.settle(150)
    expect(await bare.report()).toEqual([])
    expect(accountLease.reserve(1000, 1)).toBe(50)
    accountLease.settle(50)
    await accountLease.more(1)
    expect(accountLease.reserve(1000, 1)).toBe(700)
    accountLease.settle(700)
    await bare.report()
    await bare.report(true)
    expect(feed.charged.get(1n)).toBe(1000n)
    expect(feed.faults).toEqual([])
  })

  it('reports the end of the balance, even when it was recalled without bytes', async () => {
    const feed = feedWith(0n)
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    accountLease.recall()
    expect(await accountLease.more(1)).toBe(false)
  })

  it('pays an old lease what it owes when the server has replaced it', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    feed.largestGrant = 100n
    await accountLease.more(1)
    accountLease.settle(accountLease.reserve(40, 1))
    const lines: ReportLine[] = []
    feed.lease = async () => ({
      lease: 77n,
      granted_bytes: 100n,
      outstanding: false,
      elsewhere_bytes: 0n,
    })
    expect(await accountLease.more(90)).toBe(true)
    accountLease.settle(accountLease.reserve(5, 1))
    lines.push(...bare.meter.collect({ closeAll: false }))
    expect(lines).toMatchObject([
      { lease: 1n, charged_bytes: 40n, close: true },
      { lease: 77n, charged_bytes: 5n, close: false },
    ])
    expect(accountLease.reserve(1000, 1)).toBe(95)
  })
})

/** A feed that loses answers: some requests are executed, some later, some never. */
function losing(feed: MemoryFeed, fates: readonly ('answered' | 'unanswered' | 'late' | 'lost')[]) {
  const late: (() => Promise<unknown>)[] = []
  const lease = feed.lease.bind(feed)
  let asked = 0
  feed.lease = async (gateway, request) => {
    const fate = fates[asked++] ?? 'answered'
    if (fate === 'answered') return await lease(gateway, request)
    if (fate === 'unanswered') await lease(gateway, request)
    if (fate === 'late') late.push(() => lease(gateway, request))
    throw new Error('no answer')
  }
  return { late, asked: () => asked }
}

describe('a lease whose grant was not received', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const turns = async () => {
    for (let at = 0; at < 6; at++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Collects and settles like the reporter, for so long. */
  const pass = async (bare: Bare, ms: number) => {
    for (let at = 0; at < ms; at += 500) {
      bare.now += 500
      vi.advanceTimersByTime(500)
      await turns()
      await bare.report()
    }
  }

  it('is given back and requested anew while a tunnel waits, without reporting the end of the balance', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    losing(feed, ['unanswered'])
    const accountLease = bare.meter.hold(1n) as AccountLease
    const covered = accountLease.more(1)
    await turns()
    expect([feed.leases.size, feed.balances.get(1n)]).toEqual([1, 0n])
    await pass(bare, 1000)
    expect(await covered).toBe(true)
    expect(accountLease.reserve(5000, 1)).toBe(1000)
  })

  it('is given back when it was opened long after the account became idle, which is then forgotten', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    const { late, asked } = losing(feed, ['late'])
    const accountLease = bare.meter.hold(1n) as AccountLease
    const covered = accountLease.more(1)
    await turns()
    await pass(bare, 500)
    expect(await covered).toBe(true)
    accountLease.settle(accountLease.reserve(10, 1))
    accountLease.holders--
    await pass(bare, 61_000)
    expect([feed.leases.size, feed.balances.get(1n)]).toEqual([0, 990n])
    await late[0]?.()
    expect(feed.balances.get(1n)).toBe(0n)
    await pass(bare, 125_000)
    expect([feed.leases.size, feed.balances.get(1n), feed.charged.get(1n)]).toEqual([0, 990n, 10n])
    const calls = asked()
    await pass(bare, 300_000)
    expect([asked(), bare.meter.kept()]).toEqual([calls, []])
    expect(calls).toBeLessThanOrEqual(4)
  })

  it('is received with the next grant, and nothing of it is stranded while the lease is in use', async () => {
    const feed = feedWith(1000n)
    feed.largestGrant = 300n
    const bare = new Bare(feed, 'g1')
    losing(feed, ['answered', 'unanswered', 'answered'])
    const accountLease = bare.meter.hold(1n) as AccountLease
    expect(await accountLease.more(1)).toBe(true)
    accountLease.settle(accountLease.reserve(250, 1))
    await turns()
    expect([accountLease.heldBytes, feed.balances.get(1n)]).toEqual([50, 400n])
    const covered = accountLease.more(600)
    await turns()
    await pass(bare, 1000)
    expect(await covered).toBe(true)
    accountLease.settle(accountLease.reserve(5000, 1))
    await bare.report()
    // 250 before, then what was left of the first grant, all of the one that was not heard of, and the third
    // one.
    expect([feed.charged.get(1n), accountLease.heldBytes, feed.faults]).toEqual([900n, 100, []])
  })

  it('is not counted twice by a process that continues an interrupted one', async () => {
    const feed = feedWith(1000n)
    feed.largestGrant = 300n
    const identity = { gateway: 'g1', boot: 'b1' }
    // The interrupted process leased this after it had saved its leases, and spent and reported 200 of it.
    const { lease } = await feed.lease(identity, { access: 1n, want_bytes: 300n })
    const spent = { lease, access: 1n, charged_bytes: 200n, requests: 1, close: false }
    await feed.report({ ...identity, sequence: 1, at_ms: 0, lines: [spent] })
    const kept = [{ access: 2n, lease: 77n, bytes: 5 }]
    const meter = new Meter({ feed, identity, now: () => 0, kept })
    const accountLease = meter.hold(1n) as AccountLease
    const covered = accountLease.more(1)
    await turns()
    expect(await covered).toBe(true)
    expect(accountLease.heldBytes).toBe(300)
  })

  it('is given back when the gateway stops', async () => {
    const feed = feedWith(1000n)
    const bare = new Bare(feed, 'g1')
    losing(feed, ['unanswered'])
    void (bare.meter.hold(1n) as AccountLease).more(1)
    await turns()
    bare.meter.end()
    await turns()
    await bare.report(true)
    expect([feed.leases.size, feed.balances.get(1n)]).toEqual([0, 1000n])
  })

  it('never costs or locks a byte, whatever is lost', async () => {
    const fate = fc.constantFrom('answered' as const, 'unanswered' as const, 'late' as const, 'lost' as const)
    const act = fc.constantFrom('spend', 'spend', 'want', 'late', 'recall', 'pass')
    const runs = fc.asyncProperty(
      fc.array(fate, { maxLength: 6 }),
      fc.array(act, { maxLength: 20 }),
      async (fates, acts) => {
        const feed = feedWith(5000n)
        feed.largestGrant = 600n
        const bare = new Bare(feed, 'g1')
        const { late } = losing(feed, fates)
        const accountLease = bare.meter.hold(1n) as AccountLease
        const wanted: Promise<boolean>[] = []
        let sent = 0
        for (const what of acts) {
          const covered = what === 'spend' ? accountLease.reserve(250, 1) : 0
          accountLease.settle(covered)
          sent += covered
          if (what === 'want') wanted.push(accountLease.more(100))
          else if (what === 'recall') accountLease.recall()
          else if (what === 'late') await late.shift()?.()
          else if (what === 'pass') await pass(bare, 500)
          await turns()
        }
        await pass(bare, 5000)
        for (const hear of late) await hear()
        // Longer than the waits between requests can become while the remaining answers are lost.
        await pass(bare, 700_000)
        // No waiter waits for ever.
        await Promise.all(wanted)
        expect(feed.faults).toEqual([])
        const left = 5000n - BigInt(sent)
        expect([feed.leases.size, feed.balances.get(1n)]).toEqual([0, left])
        expect(feed.charged.get(1n) ?? 0n).toBe(BigInt(sent))
        accountLease.end()
      },
    )
    await fc.assert(runs, { numRuns: 40 })
  })
})

describe('a charge', () => {
  const start = async () => {
    const feed = feedWith(10_000_000n)
    const bare = new Bare(feed, 'g1')
    const accountLease = bare.meter.hold(1n) as AccountLease
    const charge = new Charge(accountLease, 2, { account: 7n, forgiveness: new Forgiveness(1_000_000) })
    await charge.more(100_000)
    const send = (bytes: number) => charge.sent(charge.reserve(bytes))
    const charged = async () => {
      await bare.report()
      return feed.charged.get(1n) ?? 0n
    }
    return { charge, send, charged }
  }

  it('is withheld until the target answers', async () => {
    const { charge, send, charged } = await start()
    send(1000)
    expect(await charged()).toBe(0n)
    charge.commit()
    expect(await charged()).toBe(2000n)
    charge.failed()
    send(1)
    expect(await charged()).toBe(2002n)
  })

  it('is nothing when an exit fails before the target answers, up to 64 KiB', async () => {
    const free = await start()
    free.send(65_536)
    free.charge.failed()
    free.charge.commit()
    expect(await free.charged()).toBe(0n)
    const owed = await start()
    owed.send(65_536)
    owed.send(1)
    owed.charge.failed()
    expect(await owed.charged()).toBe(131_074n)
  })

  it('counts once what is sent twice', async () => {
    const { charge, send, charged } = await start()
    send(10)
    charge.restart()
    send(10)
    charge.commit()
    charge.unsent(charge.reserve(5))
    expect(await charged()).toBe(20n)
    expect(charge.relayedBytes).toBe(20)
  })
})
