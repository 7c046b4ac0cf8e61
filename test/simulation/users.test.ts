/**
 * A customer and a thousand proxy users race for one balance, on gateways that die, over links that lose
 * messages.
 */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { proxyUserId } from '#feed/user.ids'
import { type TrafficFeed, usedByUsers } from '#traffic'
import { testDatabase } from '#test/database'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { sized } from '../size.ts'
import { Dice } from './dice.ts'
import { type GatewayWorld, SimulatedGateway } from './gateway.ts'
import { Model } from './model.ts'

const seeds = sized(1, 60)
const users = 1000

let database: Database
let feed: TrafficFeed
beforeAll(async () => {
  database = await testDatabase()
  feed = await feedKnowing(database, { settleEveryMs: 0, isOfThisMachine: true })
})
afterAll(async () => {
  await feed.close()
  await database.close()
})

/** Makes all proxy users in one statement, without usable passwords. Every third one has no limit. */
async function makeUsers(accessId: bigint, limitOf: (nr: number) => bigint | null): Promise<bigint[]> {
  const limits = Array.from({ length: users }, (_, index) => limitOf(index + 1))
  await sql`
    insert into proxy_user (access_id, nr, login, label, password_sealed, password_sha256, total_bytes)
    select ${accessId}, nr, 'u' || translate(lpad((${accessId}::bigint * 10000 + nr)::text, 11, '0'), '01', 'bc'), 'user ' || nr,
      '', sha256('x'), nullif(total, -1)
    from unnest(${limits.map((limit) => String(limit ?? -1n))}::bigint[]) with ordinality as one(total, nr)`.execute(
    database.db,
  )
  return limits.map((_, index) => proxyUserId(accessId, BigInt(index + 1)))
}

it.each(Array.from({ length: seeds }, (_, index) => index + 1))(
  'seed %i: neither a limit nor the balance is ever exceeded, and every byte is counted once',
  async (seed) => {
    const dice = new Dice(`users ${seed}`)
    const paid = BigInt(dice.whole(5_000_000, 200_000_000))
    const { accessId, ...who } = await customerWith(database.db, { paid })
    const limits = new Map<number, bigint | null>()
    const ids = await makeUsers(accessId, (nr) => {
      const limit = nr % 3 === 0 ? null : BigInt(dice.whole(0, 400_000))
      limits.set(nr, limit)
      return limit
    })
    const world: GatewayWorld = { dice, model: new Model(), monotonicMs: 0 }
    const { model } = world
    const gateways = Array.from({ length: dice.whole(2, 4) }, (_, index) => {
      const gateway = new SimulatedGateway(`users${seed}-${index}`, world, feed)
      gateway.lossPercent = dice.pick([0, 5, 30])
      return gateway
    })
    await Promise.all(gateways.map((gateway) => gateway.start()))
    const starting = new Set<Promise<void>>()
    const journalled = (id: bigint) => model.journalled.get(id)?.bytes ?? 0n
    // On a busy machine no lease may come in time in 30 rounds; reports then only give unused leases back.
    for (let round = 0; round < 30 || journalled(accessId) === 0n; round++) {
      // A round without a running gateway waits for nothing else.
      await setImmediate()
      world.monotonicMs += dice.whole(10, 400)
      const spender = () =>
        dice.percent(10) ? accessId : dice.pick(dice.percent(50) ? ids : ids.slice(0, 8))
      await Promise.all(
        Array.from({ length: dice.whole(5, 40) }, () =>
          dice.pick(gateways).spend(spender(), dice.whole(1, dice.pick([2000, 500_000])), dice.whole(1, 2)),
        ),
      )
      for (const gateway of gateways) gateway.tick()
      const one = dice.pick(gateways)
      if (dice.percent(8)) one.kill()
      if (!one.isUp && dice.percent(40) && starting.size === 0) {
        const started = one.start().finally(() => starting.delete(started))
        starting.add(started)
      }
    }
    await Promise.all(starting)
    for (const gateway of gateways) gateway.calm()
    await Promise.all(gateways.filter(({ isUp }) => !isUp).map((gateway) => gateway.start()))
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    for (const gateway of gateways) gateway.remove()

    expect(model.surprises).toEqual([])
    const used = await usedByUsers(database.db, ids, { now: database.clock.now(), zone: 'UTC' })
    for (const [index, id] of ids.entries()) {
      const charged = used.get(id)?.totalBytes ?? 0n
      expect(charged).toBe(journalled(id))
      const limit = limits.get(index + 1) ?? null
      if (limit !== null) expect(charged).toBeLessThanOrEqual(limit)
    }
    expect(journalled(accessId)).toBeGreaterThanOrEqual(ids.reduce((sum, id) => sum + journalled(id), 0n))
    expect((await who.balance())?.total).toBe(paid - journalled(accessId))
    expect(await wrongInBooks(database.db)).toEqual([])
  },
  120_000,
)
