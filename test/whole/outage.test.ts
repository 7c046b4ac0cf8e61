/**
 * Traffic continues while the database or the feed is unreachable, and the books are exact to the byte
 * afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openOutageScene,
  type OutageScene,
  type PacedTarget,
  pacedTunnels,
  startPacedTarget,
  sumOf,
} from '../outage.ts'
import { sized } from '../size.ts'
import { until } from '../stack.ts'

const awayMs = sized(10, 60) * 1000
const plenty = 100_000_000_000n

let scene: OutageScene
let target: PacedTarget
beforeAll(async () => {
  ;[scene, target] = await Promise.all([openOutageScene(), startPacedTarget({ bytesPerSecond: 200_000 })])
}, 120_000)
afterAll(async () => {
  await scene.close()
  await target.close()
}, 60_000)

// Each part has its own pools. feeds-away.test.ts tests outages of the feed too.
describe.each((['database', 'feed'] as const).slice(0, sized(1, 2)))('the %s goes away', (part) => {
  it(
    'and no tunnel of 36 on two gateways stops; every byte is charged once',
    async () => {
      const pool = part === 'database' ? 'residential' : 'residential_premium'
      const holder = await scene.holder(pool, plenty)
      const own = await startPacedTarget({ bytesPerSecond: 200_000 })
      const tunnels = await pacedTunnels(scene, holder, { count: 36, port: own.port })
      await sleep(4000)
      await scene[part].halt()
      const haltedAt = performance.now()
      await sleep(awayMs)
      // Slow bytes on a busy machine are no failure here, but bytes without a lease never arrive.
      for (const tunnel of tunnels)
        for (const bytes of tunnel.bySecond(haltedAt, performance.now())) expect(bytes).toBeGreaterThan(0)
      await scene[part].start()
      await sleep(1000)
      own.finish()
      await Promise.all(tunnels.map(({ ended }) => ended))
      const relayed = BigInt(sumOf(tunnels))
      await until(async () => (await holder.books()).charged >= relayed, 30_000, 'all bytes to be charged')
      expect(await holder.books()).toEqual({ charged: relayed, held: plenty - relayed })
      await own.close()
      expect(await scene.wrong()).toEqual([])
    },
    120_000 + 2 * awayMs,
  )

  it(
    'and a balance that ends meanwhile is used to the last byte and not exceeded',
    async () => {
      const pool = part === 'database' ? 'datacenter' : 'mobile'
      const balance = 20_000_007n
      const holder = await scene.holder(pool, balance)
      const tunnels = await pacedTunnels(scene, holder, { count: 12, port: target.port })
      await until(
        () => tunnels.every((tunnel) => tunnel.received() > 100_000),
        60_000,
        'all tunnels to be busy',
      )
      await scene[part].halt()
      await sleep(awayMs)
      const relayedMeanwhile = BigInt(sumOf(tunnels))
      expect(relayedMeanwhile < balance).toBe(true)
      // Both gateways together have leased at least half of the balance.
      expect(relayedMeanwhile > balance / 2n).toBe(true)
      await scene[part].start()
      await Promise.all(tunnels.map(({ ended }) => ended))
      expect(BigInt(sumOf(tunnels))).toBe(balance)
      await until(async () => (await holder.books()).held === 0n, 30_000, 'the last report to be settled')
      expect(await holder.books()).toEqual({ charged: balance, held: 0n })
      expect(await scene.wrong()).toEqual([])
    },
    120_000 + 2 * awayMs,
  )
})
