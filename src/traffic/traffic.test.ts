import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { type FeedEvent, type Report, ReportRefused } from '#feed'
import { testDatabase } from '#test/database'
import { newAccess } from '#test/people'
import { customerWith as newCustomer, feedKnowing, line, newBoot, wrongInBooks } from '#test/traffic'
import {
  MalformedReport,
  addUpHours,
  creditTraffic,
  expireLeases,
  hasTraffic,
  lease,
  openMeter,
  recover,
  settle,
  usageDays,
  verifyTraffic,
} from './traffic.ts'
import { seen } from './lease.ts'
import { notifyGateways } from './gateways/notify.ts'

const mib = 1_048_576n
const home = { gateway: 'gw1', boot: 'b1' }

const nothingReserved = { reserved: 0n, reservedPaid: 0n }

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const customerWith = (parts: { paid?: bigint; bonus?: bigint }) => newCustomer(db, parts)

async function expectClean() {
  expect(await wrongInBooks(db)).toEqual([])
}

describe('credit', () => {
  it('is listed by pool and part, once per reference', async () => {
    const who = await customerWith({ paid: 5n, bonus: 3n })
    expect(await who.balance()).toEqual({ paid: 5n, bonus: 3n, total: 8n, ...nothingReserved })
    const again = { accessId: who.accessId, part: 'paid' as const, bytes: 5n, kind: 'test_credit' }
    expect(await creditTraffic(db, { ...again, reference: `${who.accessId} paid` })).toBe('already_posted')
    expect(await who.balance()).toEqual({ paid: 5n, bonus: 3n, total: 8n, ...nothingReserved })
    expect(await hasTraffic(db, who.accountId, 'residential')).toBe(true)
    expect(await hasTraffic(db, who.accountId, 'mobile')).toBe(false)
  })

  it('opens a meter once for concurrent calls', async () => {
    const who = await newAccess(db, 'mobile')
    await Promise.all(Array.from({ length: 8 }, () => openMeter(db, who)))
    const { rows } = await sql`select from meter where access_id = ${who.accessId}`.execute(db)
    expect(rows).toHaveLength(1)
  })
})

describe('lease', () => {
  it('grants what is requested while the balance is large, and extends the same lease', async () => {
    const who = await customerWith({ paid: 1000n * mib })
    const holder = newBoot()
    const first = await lease(db, holder, { access: who.accessId, want_bytes: 64n * mib })
    const second = await lease(db, holder, { access: who.accessId, want_bytes: 64n * mib })
    expect(first.granted_bytes).toBe(64n * mib)
    const sum = { lease_bytes: 128n * mib, elsewhere_bytes: 872n * mib }
    expect(second).toEqual({ ...first, ...sum, granted_bytes: 64n * mib })
    expect((await who.balance())?.total).toBe(1000n * mib)
  })

  it('grants less near the end, down to the last byte, and reports that other gateways hold bytes', async () => {
    const who = await customerWith({ paid: 3n * mib, bonus: 1n })
    const [near, far] = [newBoot('near'), newBoot('far')]
    await createAlive(far)
    const elsewhere = await lease(db, far, { access: who.accessId, want_bytes: 64n * mib })
    expect(elsewhere.granted_bytes).toBe((3n * mib + 1n) / 2n)
    let granted = elsewhere.granted_bytes
    for (;;) {
      const grant = await lease(db, near, { access: who.accessId, want_bytes: 64n * mib })
      granted += grant.granted_bytes
      if (grant.granted_bytes > 0n) continue
      expect(grant.outstanding).toBe(true)
      break
    }
    expect(granted).toBe(3n * mib + 1n)
    // The other gateway gives its rest back, which can then be leased here.
    await settle(db, [far.report([line(elsewhere.lease, who.accessId, 10n, { close: true })])])
    const rest = await lease(db, near, { access: who.accessId, want_bytes: 64n * mib })
    expect(rest.granted_bytes).toBeGreaterThan(0n)
    await expectClean()
  })

  it('opens no lease without a balance', async () => {
    const who = await customerWith({})
    const nothing = { lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 0n }
    expect(await lease(db, home, { access: who.accessId, want_bytes: mib })).toEqual(nothing)
    expect(await lease(db, home, { access: 999_999n, want_bytes: mib })).toEqual(nothing)
  })

  it('only returns the open lease when no bytes are requested, and recalls none', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const [mine, other] = [newBoot('mine'), newBoot('other')]
    await createAlive(other)
    await lease(db, other, { access: who.accessId, want_bytes: mib })
    const look = { access: who.accessId, want_bytes: 0n }
    const held = { granted_bytes: 0n, outstanding: false }
    expect(await lease(db, mine, look)).toEqual({ lease: 0n, ...held, elsewhere_bytes: 10n * mib })
    const { lease: id } = await lease(db, mine, { access: who.accessId, want_bytes: mib })
    const known = { lease: id, lease_bytes: mib, elsewhere_bytes: 9n * mib }
    expect(await lease(db, mine, look)).toEqual({ ...known, ...held })
  })

  it('does not wait for a silent gateway', async () => {
    const who = await customerWith({ paid: 10n })
    await lease(db, newBoot('silent'), { access: who.accessId, want_bytes: mib })
    const grant = await lease(db, newBoot(), { access: who.accessId, want_bytes: mib })
    expect(grant).toEqual({ lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 10n })
  })

  it('shares the rest between live gateways, including the one that asks, and counts no dead one', async () => {
    const who = await customerWith({ paid: 1200n * mib })
    const ask = async (holder: ReturnType<typeof newBoot>) =>
      (await lease(db, holder, { access: who.accessId, want_bytes: 10_000n * mib })).granted_bytes
    const [first, second, third] = [newBoot('share1'), newBoot('share2'), newBoot('share3')]
    for (const holder of [first, second, third]) await createAlive(holder)
    expect(await ask(first)).toBe(600n * mib)
    expect(await ask(second)).toBe(400n * mib)
    // A quarter of 1200, of which 200 are free.
    expect(await ask(third)).toBe(200n * mib)
    // Nothing is left: now everything is recalled, and shared between three.
    expect(await ask(third)).toBe(0n)
    await recover(db, { gateway: first.gateway, boot: 'reborn' })
    await recover(db, { gateway: third.gateway, boot: 'reborn' })
    expect(await ask(first)).toBe(300n * mib)
    expect(await ask(third)).toBe(300n * mib)
    // The dead gateway's 400 cannot be spent. After some time only live gateways count.
    await ageOf(second, 16)
    await sql`update meter set recalled_at = now() - interval '11 s' where access_id = ${who.accessId}`.execute(
      db,
    )
    expect(await ask(third)).toBe(65_536n)
    await recover(db, { gateway: first.gateway, boot: 'reborn again' })
    expect(await ask(third)).toBe(100n * mib - 65_536n)
    await expectClean()
  })

  it('takes no gateway for dead right after an outage of the database', async () => {
    const who = await customerWith({ paid: 10n })
    const [holder, other] = [newBoot('heard1'), newBoot('heard2')]
    for (const one of [holder, other]) await createAlive(one)
    expect((await lease(db, other, { access: who.accessId, want_bytes: mib })).granted_bytes).toBe(10n)
    const isAwaited = async () =>
      (await lease(db, holder, { access: who.accessId, want_bytes: mib })).outstanding
    await ageOf(holder, 3600, 3600)
    await ageOf(other, 60, 3600)
    // Before its own heartbeat, and after it.
    expect(await isAwaited()).toBe(true)
    await seen(db, holder)
    expect(await isAwaited()).toBe(true)
    // With heartbeats without a gap for long enough, those of the other gateway would have arrived too.
    await ageOf(holder, 0, 16)
    expect(await isAwaited()).toBe(false)
    await ageOf(holder, 14, 16)
    await seen(db, holder)
    expect(await isAwaited()).toBe(false)
  })

  it('never leases more than the balance to twenty concurrent gateways', async () => {
    const who = await customerWith({ paid: 7n * mib })
    const holders = Array.from({ length: 20 }, (_, index) => newBoot(`many${index}`))
    const grants = await Promise.all(
      holders.flatMap((holder) =>
        [1, 2, 3].map(() => lease(db, holder, { access: who.accessId, want_bytes: 2n * mib })),
      ),
    )
    const promised = grants.reduce((sum, grant) => sum + grant.granted_bytes, 0n)
    expect(promised).toBeGreaterThan(0n)
    expect(promised <= 7n * mib).toBe(true)
    await expectClean()
  })
})

/** Sets the age of the boot's last heartbeat, and that of the first one after a gap, in seconds. */
async function ageOf({ gateway, boot }: { gateway: string; boot: string }, seenS: number, heardS = seenS) {
  await sql`
    update gateway_boot set seen_at = now() - make_interval(secs => ${seenS}),
      heard_since = now() - make_interval(secs => ${heardS})
    where gateway = ${gateway} and boot = ${boot}`.execute(db)
}

/** Creates a boot with a long history of heartbeats, without changing the gateway's other boots. */
async function createAlive({ gateway, boot }: { gateway: string; boot: string }) {
  await sql`
    insert into gateway_boot (gateway, boot, heard_since)
    values (${gateway}, ${boot}, now() - interval '1 hour')`.execute(db)
}

describe('settle', () => {
  it('charges bonus first, then paid, and counts the day', async () => {
    const who = await customerWith({ paid: 1000n, bonus: 300n })
    const holder = newBoot()
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    await settle(db, [holder.report([line(id, who.accessId, 200n)])])
    await settle(db, [holder.report([line(id, who.accessId, 250n, { requests: 3 })])])
    expect(await who.balance()).toEqual({ paid: 850n, bonus: 0n, total: 850n, ...nothingReserved })
    const days = await usageDays(db, { ...who, from: '2026-05-17', to: '2026-05-17' })
    expect(days).toEqual([{ day: '2026-05-17', chargedBytes: 450n, bonusBytes: 300n, requests: 4n }])
    await expectClean()
  })

  it('counts a batch over midnight for both days', async () => {
    const who = await customerWith({ paid: 1000n, bonus: 300n })
    const holder = newBoot()
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    await settle(db, [
      holder.report([line(id, who.accessId, 200n)], { at_ms: Date.UTC(2026, 4, 17, 23, 59, 59, 999) }),
      holder.report([line(id, who.accessId, 250n)], { at_ms: Date.UTC(2026, 4, 18) }),
    ])
    expect(await usageDays(db, { ...who, from: '2026-05-01', to: '2026-05-31' })).toEqual([
      { day: '2026-05-17', chargedBytes: 200n, bonusBytes: 200n, requests: 1n },
      { day: '2026-05-18', chargedBytes: 250n, bonusBytes: 100n, requests: 1n },
    ])
    await expectClean()
  })

  it('changes nothing for a repetition, alone, in a batch, twice in a batch, or out of order', async () => {
    const who = await customerWith({ paid: 1000n })
    const holder = newBoot()
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    const reports = [1n, 2n, 4n, 8n, 16n].map((bytes) => holder.report([line(id, who.accessId, bytes)]))
    const [one, two, three, four, five] = reports as [Report, Report, Report, Report, Report]
    await settle(db, [three])
    await settle(db, [three, five, five])
    await settle(db, [one, three])
    expect((await who.balance())?.total).toBe(1000n - 1n - 4n - 16n)
    await settle(db, reports)
    await settle(db, [two, four])
    expect((await who.balance())?.total).toBe(1000n - 31n)
    const { rows } = await sql`
      select settled_through, (select count(*) from report_ahead a where a.boot = b.boot) as ahead
      from gateway_boot b where boot = ${holder.boot}`.execute(db)
    expect(rows).toEqual([{ settled_through: 5n, ahead: 0n }])
    await expectClean()
  })

  it('refuses charges above the grant, also in parts and after the lease was lost', async () => {
    const who = await customerWith({ paid: 1000n * mib })
    const holder = newBoot('overcharging')
    const grant = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    const reportOf = (bytes: bigint) => holder.report([line(grant.lease, who.accessId, bytes)])
    await expect(settle(db, [reportOf(grant.granted_bytes + 7n)])).rejects.toThrow('charges 7 bytes above')
    const [good, bad] = [reportOf(grant.granted_bytes - 1n), reportOf(2n)]
    const fault: unknown = await settle(db, [good, bad]).catch((error: unknown) => error)
    expect((fault as MalformedReport).report).toBe(bad)
    await settle(db, [good])
    await recover(db, { gateway: holder.gateway, boot: 'reborn' })
    await expect(settle(db, [bad])).rejects.toThrow(MalformedReport)
    await settle(db, [reportOf(1n)])
    expect((await who.balance())?.total).toBe(1000n * mib - grant.granted_bytes)
    await expectClean()
  })

  it('writes off an excess only after the database has lost grants, and at most as much as it knows of', async () => {
    const who = await customerWith({ paid: 1000n * mib })
    const holder = newBoot('set-back')
    const { lease: id, granted_bytes: granted } = await lease(db, holder, {
      access: who.accessId,
      want_bytes: mib,
    })
    await seen(db, holder)
    await sql`insert into set_back (gateway, boot, acknowledged, settled_through)
      values (${holder.gateway}, ${holder.boot}, 5, 4)`.execute(db)
    const reportOf = (bytes: bigint) => holder.report([line(id, who.accessId, bytes)])
    await expect(settle(db, [reportOf(2n * granted + 1n)])).rejects.toThrow(MalformedReport)
    await settle(db, [reportOf(2n * granted)])
    await expect(settle(db, [reportOf(1n)])).rejects.toThrow(MalformedReport)
    const { rows } = await sql`select bytes from write_off where lease_id = ${id}`.execute(db)
    expect(rows).toEqual([{ bytes: granted }])
    await expectClean()
  })

  it('refuses amounts that no gateway relays, so that sums and the books stay whole', async () => {
    const who = await customerWith({ paid: 1000n * mib })
    const holder = newBoot('forger')
    const refused: string[] = []
    const feed = await feedKnowing(database, { onRefused: (fault) => refused.push(fault.message) })
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const huge = 10n ** 18n
    const forged = [
      ...Array.from({ length: 10 }, () => line(id, who.accessId, huge)),
      ...Array.from({ length: 10 }, () => line(id, who.accessId, 0n, { relayed_bytes: huge })),
      line(id, who.accessId, 0n, { requests: Number.MAX_SAFE_INTEGER }),
    ].map((one) => holder.report([one]))
    forged.push(
      holder.report(
        Array.from({ length: 3 }, () => line(id, who.accessId, 0n, { relayed_bytes: 2n ** 39n })),
      ),
    )
    for (const report of forged) await expect(feed.report(report)).rejects.toThrow(ReportRefused)
    expect(refused).toHaveLength(forged.length)
    await addUpHours(db)
    await feed.close()
    expect((await who.balance())?.total).toBe(1000n * mib)
    await expectClean()
  })

  it.each(['one after the other', 'together'])(
    'charges a lease given up as lost as far as the balance covers it beyond other leases, %s',
    async (how) => {
      const who = await customerWith({ paid: 100_000n })
      const [lost, next] = [newBoot(`lost, ${how}`.replaceAll(' ', '-')), newBoot('next')]
      const old = await lease(db, lost, { access: who.accessId, want_bytes: mib })
      expect(old.granted_bytes).toBe(65_536n)
      expect(await recover(db, { gateway: lost.gateway, boot: 'reborn' })).toBe(1)
      const other = await lease(db, next, { access: who.accessId, want_bytes: mib })
      expect(other.granted_bytes).toBe(65_536n)
      // Balance 100 000, of which 65 536 are leased to the other gateway: 34 464 are free.
      const late = lost.report([line(old.lease, who.accessId, 60_000n)])
      const last = next.report([line(other.lease, who.accessId, 65_536n, { close: true })])
      if (how === 'together') {
        await settle(db, [late, last])
      } else {
        await settle(db, [late])
        expect((await who.balance())?.total).toBe(65_536n)
        await settle(db, [last])
      }
      expect((await who.balance())?.total).toBe(0n)
      const { rows } = await sql`select bytes from write_off where lease_id = ${old.lease}`.execute(db)
      expect(rows).toEqual([{ bytes: 60_000n - 34_464n }])
      await expectClean()
    },
  )

  it('refuses a malformed report whole and names the line', async () => {
    const who = await customerWith({ paid: 1000n })
    const stranger = await customerWith({ paid: 1000n })
    const [holder, thief] = [newBoot(), newBoot('thief')]
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    const good = line(id, who.accessId, 10n)
    const refused: [Report, string][] = [
      [holder.report([good, line(id, who.accessId, -1n)]), 'line 2 charges less than nothing'],
      [holder.report([good, line(id + 1000n, who.accessId, 1n)]), 'line 2 names lease'],
      [holder.report([good, line(0n, who.accessId, 1n)]), 'line 2 charges without a lease'],
      [holder.report([line(id, stranger.accessId, 1n)]), 'line 1 names lease'],
      [holder.report([line(id, 999_999n, 1n)]), 'line 1 names lease'],
      [holder.report([good, line(id, stranger.accessId, 1n)]), 'line 2 names lease'],
      [holder.report([good, line(id, who.accessId, 1n, { requests: -1 })]), 'line 2 counts requests'],
      [thief.report([good]), 'line 1 names lease'],
      [holder.report([good], { sequence: 0 }), 'sequence'],
      [holder.report([good], { sequence: 1.5 }), 'sequence'],
      [holder.report([good], { at_ms: Number.NaN }), 'at_ms'],
      [holder.report([good], { boot: 'a b' }), 'is not a name'],
    ]
    for (const [report, message] of refused) {
      await expect(settle(db, [report])).rejects.toThrow(message)
      await expect(settle(db, [report])).rejects.toThrow(MalformedReport)
    }
    expect((await who.balance())?.total).toBe(1000n)
    const { rows } = await sql`select from gateway_boot where boot = ${thief.boot}`.execute(db)
    expect(rows).toEqual([])
    await expectClean()
  })

  it('does not deadlock or miscount when four processes settle overlapping accounts at once', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, () => customerWith({ paid: 10n * mib, bonus: 1000n })),
    )
    const workers = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const holder = newBoot(`worker${index}`)
        const leases = await Promise.all(
          people.map((who) => lease(db, holder, { access: who.accessId, want_bytes: mib })),
        )
        return { holder, leases }
      }),
    )
    const rounds = 15
    const reports = workers.map(({ holder, leases }, index) =>
      Array.from({ length: rounds }, () => {
        const lines = people.map((who, at) => line(leases[at]?.lease ?? 0n, who.accessId, 100n))
        return holder.report(index % 2 === 0 ? lines : lines.toReversed())
      }),
    )
    // Every process settles all reports: each must count once.
    const all = reports.flat()
    await Promise.all(
      workers.map(async (_, index) => {
        const mine = [...all.slice(index * rounds), ...all.slice(0, index * rounds)]
        for (let at = 0; at < mine.length; at += 5) await settle(db, mine.slice(at, at + 5))
      }),
    )
    for (const who of people)
      expect((await who.balance())?.total).toBe(10n * mib + 1000n - BigInt(4 * rounds) * 100n)
    await expectClean()
  })
})

describe('a report that closes a lease', () => {
  it('waits until the earlier reports of its sender are settled', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const feed = await feedOf()
    const holder = newBoot()
    await feed.hello(holder)
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const [first, second, third] = [
      holder.report([line(id, who.accessId, 100n)]),
      holder.report([line(id, who.accessId, 10n)]),
      holder.report([line(id, who.accessId, 1n, { close: true })]),
    ]
    const closing = { ...third, oldest: first.sequence }
    await expect(feed.report(closing)).rejects.toThrow('before its turn')
    await feed.report(second)
    const late = await Promise.allSettled([closing, closing].map((one) => feed.report(one)))
    expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await who.balance())?.total).toBe(10n * mib - 10n)
    await Promise.all([feed.report(closing).catch(() => undefined), feed.report(first)])
    await feed.report(closing)
    expect((await who.balance())?.total).toBe(10n * mib - 111n)
    await feed.close()
    await expectClean()
  })

  it('does not wait for a dead letter, and does not delay other reports of its settlement', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const feed = await feedOf()
    const holder = newBoot()
    await feed.hello(holder)
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const aside = holder.report([line(id, who.accessId, 100n)])
    const [plain, missing, closing] = [
      holder.report([line(id, who.accessId, 10n)]),
      holder.report([line(id, who.accessId, 1000n)]),
      holder.report([line(id, who.accessId, 1n, { close: true })]),
    ]
    const both = [
      { ...plain, oldest: 2 },
      { ...closing, oldest: 2 },
    ]
    const outcomes = await Promise.allSettled(both.map((one) => feed.report(one)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await feed.report({ ...missing, oldest: 3 })
    await feed.report({ ...closing, oldest: 4 })
    expect((await who.balance())?.total).toBe(10n * mib - 1011n)
    // A report that the operator replays later is charged as far as the balance covers it.
    await feed.report(aside)
    expect((await who.balance())?.total).toBe(10n * mib - 1111n)
    await feed.close()
    await expectClean()
  })

  it('names no oldest unsettled report above its own number', async () => {
    const who = await customerWith({ paid: mib })
    const holder = newBoot()
    const report = { ...holder.report([line(0n, who.accessId, 0n)]), oldest: 2 }
    await expect(settle(db, [report])).rejects.toThrow('oldest')
  })
})

describe('lost gateways', () => {
  it('lose their leases when they restart', async () => {
    const who = await customerWith({ paid: 1000n })
    const feed = await feedOf()
    const [before, after] = [newBoot('phoenix'), newBoot('phoenix')]
    await feed.hello(before)
    const grant = await feed.lease(before, { access: who.accessId, want_bytes: mib })
    expect(grant.granted_bytes).toBe(1000n)
    await feed.report(before.report([line(grant.lease, who.accessId, 100n)]))
    await feed.hello(after)
    const again = await feed.lease(after, { access: who.accessId, want_bytes: mib })
    expect(again.granted_bytes).toBe(900n)
    expect(again.lease).not.toBe(grant.lease)
    await feed.close()
    await expectClean()
  })

  it('lose their leases after ten silent minutes, and not before', async () => {
    const who = await customerWith({ paid: 1000n })
    const [silent, alive] = [newBoot('silent10'), newBoot('alive')]
    const other = await customerWith({ paid: 1000n })
    for (const boot of [silent, alive]) await createAlive(boot)
    const grant = await lease(db, silent, { access: who.accessId, want_bytes: mib })
    const kept = await lease(db, alive, { access: other.accessId, want_bytes: mib })
    await sql`update lease set opened_at = now() - interval '11 min' where id in (${grant.lease}, ${kept.lease})`.execute(
      db,
    )
    await expireLeases(db)
    const open = () =>
      sql`
      select id from lease where id in (${grant.lease}, ${kept.lease}) and closed_at is null`.execute(db)
    expect((await open()).rows).toHaveLength(2)
    await sql`update gateway_boot set seen_at = now() - interval '601 s' where boot = ${silent.boot}`.execute(
      db,
    )
    expect(await expireLeases(db)).toBe(1)
    expect((await open()).rows).toEqual([{ id: kept.lease }])
    const next = await lease(db, alive, { access: who.accessId, want_bytes: mib })
    expect(next.granted_bytes).toBe(1000n)
  })
})

const password = Buffer.alloc(32, 7)

function feedOf(deps: Parameters<typeof feedKnowing>[1] = {}) {
  return feedKnowing(database, {
    ...deps,
    findAccess: (_db, { login, pool }) =>
      Promise.resolve(
        login === 'known'
          ? { id: 17n, accountId: 5n, login, pool, passwordSha256: password, blocked: false }
          : null,
      ),
  })
}

describe('feed', () => {
  it('returns accounts and exits from their slices', async () => {
    const feed = await feedOf()
    expect(await feed.account({ login: 'known', pool: 'mobile' })).toEqual({
      access: 17n,
      owner: 5n,
      login: 'known',
      pool: 'mobile',
      password_sha256: '07'.repeat(32),
      blocked: false,
      limits: null,
    })
    expect(await feed.account({ login: 'unknown', pool: 'mobile' })).toBeNull()
    expect(await feed.exits()).toEqual([])
    await feed.close()
  })

  it('settles reports that arrive together in one transaction, and refuses only the report at fault', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const feed = await feedOf()
    const holder = newBoot()
    await feed.hello(holder)
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const transactions = async () =>
      (
        await sql<{ n: bigint }>`select count(*) as n from ledger_transaction where kind = 'usage'`.execute(
          db,
        )
      ).rows[0]?.n ?? 0n
    const before = await transactions()
    const reports = Array.from({ length: 50 }, () => holder.report([line(id, who.accessId, 3n)]))
    const bad = holder.report([line(id + 1000n, who.accessId, 3n)])
    const outcomes = await Promise.allSettled([...reports, bad].map((report) => feed.report(report)))
    expect(outcomes.map((outcome) => outcome.status)).toEqual([...reports.map(() => 'fulfilled'), 'rejected'])
    expect((await who.balance())?.total).toBe(10n * mib - 150n)
    expect((await transactions()) - before).toBeLessThanOrEqual(3n)
    await feed.close()
    await expectClean()
  })

  it('settles reports that only charge a few times a second', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const feed = await feedOf()
    const holder = newBoot()
    await feed.hello(holder)
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const first = performance.now()
    await feed.report(holder.report([line(id, who.accessId, 1n)]))
    const second = feed.report(holder.report([line(id, who.accessId, 10n)]))
    const third = feed.report(holder.report([line(id, who.accessId, 100n)]))
    await Promise.all([second, third])
    expect(performance.now() - first).toBeGreaterThanOrEqual(249)
    expect((await who.balance())?.total).toBe(10n * mib - 111n)
    const last = feed.report(holder.report([line(0n, who.accessId, 0n)]))
    // Closing the feed settles waiting reports without delay.
    await feed.close()
    await last
    await expectClean()
  })

  it('settles at once a report that gives a lease back, and the reports waiting before it', async () => {
    const who = await customerWith({ paid: 10n * mib })
    const feed = await feedOf({ settleEveryMs: 3_600_000 })
    const holder = newBoot()
    await feed.hello(holder)
    const { lease: id } = await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    await feed.report(holder.report([line(id, who.accessId, 1n)]))
    const waiting = feed.report(holder.report([line(id, who.accessId, 1000n)]))
    expect((await who.balance())?.total).toBe(10n * mib - 1n)
    await feed.report(holder.report([line(id, who.accessId, 0n, { close: true })]))
    await waiting
    expect((await who.balance())?.total).toBe(10n * mib - 1001n)
    await feed.close()
    await expectClean()
  })

  it('distinguishes a final refusal from a temporary failure', async () => {
    const who = await customerWith({ paid: mib })
    const feed = await feedOf()
    const holder = newBoot()
    const unknown = holder.report([line(987_654_321n, who.accessId, 1n)])
    const senseless = { ...unknown, sequence: -1 }
    await expect(feed.report(unknown)).rejects.toThrow(ReportRefused)
    await expect(feed.report(senseless)).rejects.toThrow(ReportRefused)
    await feed.close()
  })

  it('announces addresses that a whitelist lost or gained', async () => {
    const feed = await feedOf()
    const heard = new Promise<FeedEvent>((resolve) => feed.subscribe(resolve))
    const event = { type: 'whitelist_changed', pool: 'mobile', address: '192.0.2.1' } as const
    await notifyGateways(db, event)
    expect(await heard).toEqual(event)
    await feed.close()
  })

  it('recalls leases from other gateways when a balance runs out', async () => {
    const who = await customerWith({ paid: 10n })
    const feed = await feedOf()
    const [holder, asker] = [newBoot('holder'), newBoot('asker')]
    await feed.hello(holder)
    await feed.lease(holder, { access: who.accessId, want_bytes: mib })
    const heard = new Promise<FeedEvent>((resolve) => feed.subscribe(resolve))
    const grant = await feed.lease(asker, { access: who.accessId, want_bytes: mib })
    expect(grant).toEqual({ lease: 0n, granted_bytes: 0n, outstanding: true, elsewhere_bytes: 10n })
    expect(await heard).toEqual({ type: 'lease_recalled', access: who.accessId })
    await feed.close()
  })
})

describe('verifyTraffic', () => {
  it('finds usage, leases and write-offs that do not match the ledger', async () => {
    const who = await customerWith({ paid: 1000n, bonus: 5n })
    const holder = newBoot()
    const { lease: id } = await lease(db, holder, { access: who.accessId, want_bytes: mib })
    await settle(db, [holder.report([line(id, who.accessId, 100n)])])
    const hour = sql`where access_id = ${who.accessId}`
    const checksWhile = async (tamper: ReturnType<typeof sql>, restore: ReturnType<typeof sql>) => {
      await tamper.execute(db)
      const findings = await verifyTraffic(db)
      await restore.execute(db)
      return findings.map(({ check, subject }) => `${check} of ${subject}`)
    }
    const subject = `access ${who.accessId}`
    expect(
      await checksWhile(
        sql`update usage_hour set charged_bytes = charged_bytes + 1 ${hour}`,
        sql`update usage_hour set charged_bytes = charged_bytes - 1 ${hour}`,
      ),
    ).toEqual([
      `usage_is_what_the_ledger_took of ${subject}`,
      `usage_is_what_leases_were_charged of ${subject}`,
    ])
    expect(
      await checksWhile(
        sql`update usage_hour set bonus_bytes = 0 ${hour}`,
        sql`update usage_hour set bonus_bytes = 5 ${hour}`,
      ),
    ).toEqual([`bonus_is_what_the_ledger_took of ${subject}`])
    expect(
      await checksWhile(
        sql`update lease set charged_bytes = 0 where id = ${id}`,
        sql`update lease set charged_bytes = 100 where id = ${id}`,
      ),
    ).toEqual([`leases_within_balance of ${subject}`, `usage_is_what_leases_were_charged of ${subject}`])
    expect(
      await checksWhile(
        sql`insert into write_off (lease_id, bytes) values (${id}, 1)`,
        sql`delete from write_off where lease_id = ${id}`,
      ),
    ).toEqual(['write_offs_are_what_the_house_bore of pool residential'])
    await expectClean()
  })
})
