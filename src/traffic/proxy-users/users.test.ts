import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { changeLimits } from '#limits'
import { testDatabase } from '#test/database'
import { customerWith, line, newBoot, wrongInBooks } from '#test/traffic'
import { newUser } from '#test/users'
import { changeUser, freezeUser, type UserSettings } from '#proxy-users'
import { payerOf, proxyUserId } from '#feed/user.ids'
import { sized } from '#test/size'
import { lease, permits, recover, settle, usedByUsers, userDays } from '../traffic.ts'
import { seen } from '../lease.ts'

const mb = 1_000_000n
const zone = 'Europe/Moscow'
const at = (time: string) => new Date(`2026-05-${time}Z`)

let database: Database
let db: Database['db']

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(async () => {
  expect(await wrongInBooks(db)).toEqual([])
  await database.close()
})

type Boot = ReturnType<typeof newBoot>

const ask = (holder: Boot, access: bigint, now: Date, want = 64n * mb) =>
  lease(db, holder, { access, want_bytes: want }, { now, zone })
const report = (holder: Boot, now: Date, ...lines: Parameters<Boot['report']>[0]) =>
  settle(db, [holder.report(lines, { at_ms: now.getTime() })], zone)

const least = (one: bigint, other: bigint) => (one < other ? one : other)

/** Leases bytes within the limits of a proxy user, and as many of its access. `lines` charges both leases. */
async function askBoth(holder: Boot, id: bigint, now: Date, want?: bigint) {
  const own = await ask(holder, id, now, want)
  if (own.granted_bytes === 0n) return { bytes: 0n, capped: own.capped, lines: () => [] }
  const paid = await ask(holder, payerOf(id), now, own.granted_bytes)
  const lines = (bytes: bigint, rest: Parameters<typeof line>[3] = {}) => [
    line(own.lease, id, bytes, rest),
    line(paid.lease, payerOf(id), bytes, rest),
  ]
  return { bytes: least(own.granted_bytes, paid.granted_bytes), capped: paid.capped, lines }
}

/** Leases all available bytes, uses them, and gives the leases back; returns how many there were. */
async function drain(holder: Boot, id: bigint, now: Date) {
  let used = 0n
  for (;;) {
    const { bytes, capped, lines } = await askBoth(holder, id, now)
    await report(holder, now, ...lines(bytes, { close: true }))
    if (bytes === 0n) return { used, capped }
    used += bytes
  }
}

const usedBy = async (id: bigint, now = at('17T12:00:00')) =>
  (await usedByUsers(db, [id], { now, zone })).get(id)

async function userWith(settings: Partial<UserSettings>, paid = 1000n * mb) {
  const who = await customerWith(db, { paid })
  return { who, user: await newUser(db, who.accessId, settings) }
}

describe('a limit of a proxy user', () => {
  it('is used to its last byte and never exceeded; the account pays for it', async () => {
    const { who, user } = await userWith({ totalBytes: 3n * mb + 1n })
    const noon = at('17T12:00:00')
    expect(await drain(newBoot(), user.id, noon)).toEqual({ used: 3n * mb + 1n, capped: 'user_total' })
    expect(await usedBy(user.id)).toMatchObject({ totalBytes: 3n * mb + 1n, dayBytes: 3n * mb + 1n })
    expect((await who.balance())?.total).toBe(997n * mb - 1n)
  })

  it('begins anew with every day and month of the shop, not of UTC', async () => {
    const { user } = await userWith({ dayBytes: 2n * mb, monthBytes: 5n * mb })
    const used = async (time: string) => drain(newBoot(), user.id, at(time))
    // In Moscow it is three hours later.
    expect(await used('29T20:59:59.999')).toEqual({ used: 2n * mb, capped: 'user_day' })
    expect(await used('29T21:00:00')).toEqual({ used: 2n * mb, capped: 'user_day' })
    expect(await used('30T21:00:00')).toEqual({ used: mb, capped: 'user_month' })
    expect(await used('31T20:59:59.999')).toEqual({ used: 0n, capped: 'user_month' })
    expect(await used('31T21:00:00')).toEqual({ used: 2n * mb, capped: 'user_day' })
    const days = await userDays(db, { id: user.id, from: '2026-05-29', to: '2026-06-01' })
    expect(days.map(({ day, chargedBytes }) => [day, chargedBytes])).toEqual([
      ['2026-05-29', 2n * mb],
      ['2026-05-30', 2n * mb],
      ['2026-05-31', mb],
      ['2026-06-01', 2n * mb],
    ])
  })

  it('counts bytes on lease elsewhere, recalls them, and counts those leased before midnight on the new day', async () => {
    const { user } = await userWith({ dayBytes: mb })
    const [near, far] = [newBoot('near'), newBoot('far')]
    await seen(db, far)
    const late = at('17T20:59:00')
    const elsewhere = await askBoth(far, user.id, late)
    const here = await drain(near, user.id, late)
    expect(here.used + elsewhere.bytes).toBe(mb)
    expect(await ask(near, user.id, late)).toMatchObject({ granted_bytes: 0n, outstanding: true })
    const midnight = at('17T21:00:00')
    await report(far, midnight, ...elsewhere.lines(elsewhere.bytes, { close: true }))
    expect((await drain(near, user.id, midnight)).used).toBe(mb - elsewhere.bytes)
  })

  it('leaves nothing when it is lowered below the use, and the rest when it is raised again; zero leaves nothing', async () => {
    const { user } = await userWith({ totalBytes: 4n * mb })
    const set = (totalBytes: bigint | null) => transaction(db, (tx) => changeUser(tx, user, { totalBytes }))
    const noon = at('17T12:00:00')
    await drain(newBoot(), user.id, noon)
    await set(mb)
    expect((await drain(newBoot(), user.id, noon)).used).toBe(0n)
    await set(0n)
    expect((await drain(newBoot(), user.id, noon)).used).toBe(0n)
    await set(6n * mb)
    expect((await drain(newBoot(), user.id, noon)).used).toBe(2n * mb)
  })

  it('does not exceed a cap of the account, nor its balance, and names what ended it', async () => {
    const capped = await userWith({ totalBytes: 10n * mb })
    await changeLimits(db, { id: capped.who.accessId, login: 'x' }, { dayBytes: 2n * mb })
    const noon = at('17T12:00:00')
    expect(await drain(newBoot(), capped.user.id, noon)).toEqual({ used: 2n * mb, capped: 'day' })
    const poor = await userWith({ totalBytes: 10n * mb }, mb)
    expect(await drain(newBoot(), poor.user.id, noon)).toEqual({ used: mb, capped: undefined })
  })

  it('leaves a frozen, an expired and an unknown one nothing', async () => {
    const { user } = await userWith({})
    await transaction(db, (tx) => freezeUser(tx, user, { isFrozen: true, now: new Date() }))
    const noon = at('17T12:00:00')
    expect(await drain(newBoot(), user.id, noon)).toEqual({ used: 0n, capped: 'user_off' })
    const expired = await userWith({ expiresAt: noon })
    expect((await drain(newBoot(), expired.user.id, noon)).used).toBe(0n)
    expect((await drain(newBoot(), user.id + 1n, noon)).used).toBe(0n)
  })
})

describe('reports of a proxy user', () => {
  it('are settled once, however often they arrive', async () => {
    const { who, user } = await userWith({ totalBytes: 5n * mb })
    const holder = newBoot()
    const { lines } = await askBoth(holder, user.id, at('17T12:00:00'), 2n * mb)
    const told = holder.report(lines(mb))
    for (let time = 0; time < 3; time++) await settle(db, [told, told], zone)
    expect(await usedBy(user.id)).toMatchObject({ totalBytes: mb, requests: 1n })
    expect((await who.balance())?.total).toBe(999n * mb)
  })

  it('that name the lease of the account, or of another one, are refused whole', async () => {
    const { who, user } = await userWith({})
    const other = await newUser(db, who.accessId)
    const holder = newBoot()
    const noon = at('17T12:00:00')
    const own = await ask(holder, who.accessId, noon, mb)
    const its = await ask(holder, user.id, noon, mb)
    for (const [id, whose] of [
      [own.lease, user.id],
      [its.lease, who.accessId],
      [its.lease, other.id],
    ] as const)
      await expect(report(holder, noon, line(id, whose, 1n))).rejects.toThrow(/does not have/)
    expect(own.lease).not.toBe(its.lease)
  })

  it('of a lease considered lost are charged as far as limit and balance cover them', async () => {
    const { who, user } = await userWith({ totalBytes: 2n * mb })
    const noon = at('17T12:00:00')
    const lost = newBoot('lost')
    const { bytes: granted, lines } = await askBoth(lost, user.id, noon)
    expect(granted).toBe(mb)
    await recover(db, { gateway: 'lost', boot: 'the next' })
    // Meanwhile another gateway uses up the limit, except for half a megabyte.
    const holder = newBoot()
    const next = await askBoth(holder, user.id, noon)
    await report(holder, noon, ...next.lines(next.bytes, { close: true }))
    const left = 2n * mb - next.bytes
    await report(lost, noon, ...lines(granted))
    const charged = least(granted, left)
    expect(await usedBy(user.id)).toMatchObject({ totalBytes: next.bytes + charged })
    // The shop bears the bytes that no limit covers.
    expect((await who.balance())?.total).toBe(1000n * mb - next.bytes - charged)
  })
})

it('permits of proxy users count for their own cap and for that of the account', async () => {
  const { who, user } = await userWith({ connections: 3 })
  const other = await newUser(db, who.accessId)
  const [one, two] = [newBoot('p1'), newBoot('p2')]
  for (const boot of [one, two]) await seen(db, boot)
  expect(await permits(db, one, { access: user.id, want: 2 })).toBe(2)
  expect(await permits(db, two, { access: user.id, want: 2 })).toBe(1)
  expect(await permits(db, two, { access: other.id, want: 50 })).toBe(50)
  await changeLimits(db, { id: who.accessId, login: 'x' }, { connections: 5 })
  expect(await permits(db, two, { access: other.id, want: 50 })).toBe(2)
  expect(await permits(db, one, { access: who.accessId, want: 5 })).toBe(0)
  expect(await permits(db, two, { access: other.id, want: 0 })).toBe(0)
  expect(await permits(db, one, { access: who.accessId, want: 5 })).toBe(2)
})

const racers = sized(200, 1000)

it(`${racers} proxy users race for one balance on four gateways, and nothing is spent twice`, async () => {
  // Less than the sum of their limits.
  const paid = BigInt(racers) * 50_000n
  const who = await customerWith(db, { paid })
  await db.transaction().execute((tx) =>
    sql`insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256, total_bytes)
      select ${who.accessId}, nr, 'u' || translate(lpad(nr::text, 11, '0'), '01', 'bc'), 'race ' || nr, '', sha256('x'), 65536 + nr
      from generate_series(1, ${racers}::int) nr`.execute(tx),
  )
  const noon = at('17T12:00:00')
  const boots = ['r1', 'r2', 'r3', 'r4'].map((name) => newBoot(name))
  const ids = Array.from({ length: racers }, (_, index) => proxyUserId(who.accessId, BigInt(index + 1)))
  let granted = 0n
  for (let from = 0; from < ids.length; from += 50) {
    const leased = await Promise.all(
      ids.slice(from, from + 50).map(async (id, index) => {
        const boot = boots[index % 4] as Boot
        const { lease: its, granted_bytes: its_bytes } = await ask(boot, id, noon)
        return { boot, its, its_bytes, id }
      }),
    )
    await Promise.all(
      boots.map(async (boot) => {
        const paid = await ask(boot, who.accessId, noon, 4n * mb)
        let rest = paid.granted_bytes
        const lines = leased
          .filter((one) => one.boot === boot && one.its !== 0n)
          .map(({ its, its_bytes, id }) => {
            const bytes = least(its_bytes, rest)
            rest -= bytes
            return line(its, id, bytes, { close: true })
          })
        granted += paid.granted_bytes - rest
        const own = line(paid.lease, who.accessId, paid.granted_bytes - rest, { close: true })
        return report(boot, noon, ...lines, own)
      }),
    )
  }
  const used = await usedByUsers(db, ids, { now: noon, zone })
  let sum = 0n
  for (const [id, { totalBytes }] of used) {
    sum += totalBytes
    expect(totalBytes).toBeLessThanOrEqual(65_536n + (id & ((1n << 34n) - 1n)))
  }
  expect(sum).toBe(granted)
  expect(sum).toBeLessThanOrEqual(paid)
  expect((await who.balance())?.total).toBe(paid - sum)
}, 120_000)

it('no sequence of leases, reports, crashes and changed limits exceeds a limit or the balance', async () => {
  let everSpent = 0n
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('lease' as const),
      user: fc.nat(3),
      boot: fc.nat(2),
      want: fc.nat(400_000),
    }),
    fc.record({
      kind: fc.constant('spend' as const),
      user: fc.nat(3),
      boot: fc.nat(2),
      part: fc.nat(100),
      close: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('crash' as const), boot: fc.nat(2) }),
    fc.record({ kind: fc.constant('raise' as const), user: fc.nat(2), by: fc.nat(100_000) }),
    fc.record({ kind: fc.constant('hour' as const), hours: fc.integer({ min: 1, max: 13 }) }),
  )
  // Whatever follows, something is spent.
  const begin: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[] = [
    { kind: 'lease', user: 0, boot: 0, want: 100_000 },
    { kind: 'lease', user: 3, boot: 0, want: 100_000 },
    { kind: 'spend', user: 0, boot: 0, part: 50, close: false },
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 60 }),
      fc.oneof(
        { arbitrary: fc.constant(0n), weight: 1 },
        { arbitrary: fc.bigInt(1000n, 900_000n), weight: 7 },
      ),
      async (steps, paid) => {
        const who = await customerWith(db, { paid })
        const limits = [200_000n, 300_000n, 150_000n]
        const users = await Promise.all(
          limits.map((totalBytes, index) =>
            newUser(db, who.accessId, { totalBytes, dayBytes: index === 2 ? 90_000n : null }),
          ),
        )
        // The last one is the account itself.
        const ids = [...users.map(({ id }) => id), who.accessId]
        let now = at('17T12:00:00')
        const boots = [newBoot('f1'), newBoot('f2'), newBoot('f3')]
        const held = new Map<string, { lease: bigint; rest: bigint }>()
        let spent = 0n
        for (const one of [...begin, ...steps]) {
          const boot = 'boot' in one ? (boots[one.boot] as Boot) : null
          if (one.kind === 'hour') now = new Date(now.getTime() + one.hours * 3_600_000)
          else if (one.kind === 'raise') {
            const user = users[one.user]
            if (user === undefined) continue
            const totalBytes = (limits[one.user] ?? 0n) + BigInt(one.by)
            limits[one.user] = totalBytes
            await transaction(db, (tx) => changeUser(tx, user, { totalBytes }))
          } else if (one.kind === 'crash' && boot !== null) {
            const next = newBoot(boot.gateway)
            await recover(db, next)
            for (const key of held.keys()) if (key.startsWith(`${boot.gateway} `)) held.delete(key)
            boots[one.boot] = next
          } else if (boot !== null && 'user' in one) {
            const id = ids[one.user] ?? 0n
            const key = `${boot.gateway} ${id}`
            if (one.kind === 'lease') {
              const grant = await ask(boot, id, now, BigInt(one.want) + 1n)
              const known = held.get(key)?.rest ?? 0n
              if (grant.lease !== 0n) held.set(key, { lease: grant.lease, rest: known + grant.granted_bytes })
            } else if (one.kind === 'spend') {
              const mine = held.get(key)
              if (mine === undefined) continue
              const paid = held.get(`${boot.gateway} ${who.accessId}`)
              if (paid === undefined) continue
              const bytes = least((mine.rest * BigInt(one.part)) / 100n, paid.rest)
              const told = [line(mine.lease, id, bytes, { close: one.close })]
              if (mine !== paid) {
                told.push(line(paid.lease, who.accessId, bytes))
                paid.rest -= bytes
              }
              await report(boot, now, ...told)
              spent += bytes
              everSpent += bytes
              mine.rest -= bytes
              if (one.close) held.delete(key)
            }
          }
        }
        const used = await usedByUsers(db, ids, { now, zone })
        for (const [index, limit] of limits.entries())
          expect(used.get(ids[index] ?? 0n)?.totalBytes ?? 0n).toBeLessThanOrEqual(limit)
        for (const { chargedBytes } of await userDays(db, {
          id: ids[2] ?? 0n,
          from: '2026-05-01',
          to: '2026-12-31',
        }))
          expect(chargedBytes).toBeLessThanOrEqual(90_000n)
        expect((await who.balance())?.total ?? 0n).toBe(paid - spent)
      },
    ),
    { numRuns: sized(8, 25) },
  )
  expect(everSpent).toBeGreaterThan(0n)
  expect(await wrongInBooks(db)).toEqual([])
}, 120_000)
