/**
 * Leases of one balance on gateways that die, over links that lose messages: they never exceed it, and all of
 * it can be used.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { creditTraffic, type TrafficFeed } from '#traffic'
import { testDatabase } from '#test/database'
import { customerWith, feedKnowing, wrongInBooks } from '#test/traffic'
import { sized } from '../size.ts'
import { Dice } from './dice.ts'
import { type GatewayWorld, SimulatedGateway } from './gateway.ts'
import { Model } from './model.ts'

const seeds = sized(12, 300)

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

const sumOf = (map: ReadonlyMap<bigint, bigint>) => [...map.values()].reduce((sum, bytes) => sum + bytes, 0n)

it.each(Array.from({ length: seeds }, (_, index) => index + 1))(
  'seed %i: what is spent never exceeds the balance, and in the end all of it has been spent',
  async (seed) => {
    const dice = new Dice(`leases ${seed}`)
    const first = BigInt(
      dice.pick([dice.whole(1, 500_000), dice.whole(1, 40_000_000), dice.whole(1, 300_000_000)]),
    )
    const { accessId, ...who } = await customerWith(database.db, { paid: first })
    const world: GatewayWorld = { dice, model: new Model(), monotonicMs: 0 }
    const gateways = Array.from({ length: dice.whole(2, 4) }, (_, index) => {
      const gateway = new SimulatedGateway(`leases${seed}-${index}`, world, feed)
      gateway.lossPercent = dice.pick([0, 5, 30])
      return gateway
    })
    const { model } = world
    /**
     * Bytes relayed by gateways, less the bytes that a killed gateway had not recorded: no account is charged
     * for those.
     */
    const spent = () => BigInt(model.counts.get('bytes') ?? 0) - sumOf(model.forgotten)
    await Promise.all(gateways.map((gateway) => gateway.start()))

    const starting = new Set<Promise<void>>()
    for (let round = 0; round < 30; round++) {
      world.monotonicMs += dice.whole(10, 400)
      await Promise.all(
        Array.from({ length: dice.whole(1, 5) }, () =>
          dice
            .pick(gateways)
            .spend(accessId, dice.whole(1, dice.pick([2000, 200_000, 20_000_000])), dice.whole(1, 2)),
        ),
      )
      for (const gateway of gateways) gateway.tick()
      expect(spent() <= first).toBe(true)
      const one = dice.pick(gateways)
      if (dice.percent(8)) one.kill()
      if (!one.isUp && dice.percent(40) && starting.size === 0) {
        const started = one.start().finally(() => starting.delete(started))
        starting.add(started)
      }
    }
    await Promise.all(starting)

    // No message is lost any more, and dead gateways return: then one gateway can lease the whole balance,
    // whatever the others hold, in less than the minute after which idle leases are given back anyway.
    for (const gateway of gateways) gateway.calm()
    await Promise.all(gateways.filter(({ isUp }) => !isUp).map((gateway) => gateway.start()))
    // Each gateway holds a part of the traffic bought now.
    const bought = BigInt(dice.whole(1_000_000, 100_000_000))
    const credit = { accessId, part: 'paid' as const, bytes: bought, kind: 'test_credit' }
    await creditTraffic(database.db, { ...credit, reference: `${accessId} more` })
    const balance = first + bought
    world.monotonicMs += 1000
    for (const gateway of gateways) await gateway.spend(accessId, 1, 1)
    const last = dice.pick(gateways)
    for (let rounds = 0; spent() < balance; rounds++) {
      if (rounds === 1000) throw new Error(`${balance - spent()} of ${balance} B were not given out`)
      world.monotonicMs += 50
      await last.spend(accessId, 50_000_000, 1)
      for (const gateway of gateways) gateway.tick()
      await sleep(5)
    }
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    for (const gateway of gateways) gateway.remove()
    expect(model.surprises).toEqual([])
    expect(spent()).toBe(balance)
    expect((await who.balance())?.total).toBe(0n)
    expect(await wrongInBooks(database.db)).toEqual([])
  },
  120_000,
)
