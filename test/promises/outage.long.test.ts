import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { press } from '#test/app'
import { until } from '#test/stack'
import { promisedMs } from '../size.ts'
import { operationsOf } from './clients.ts'
import { backAgain, openScene, readiness, reckon, type Scene } from './outages.ts'

const awaySeconds = 60
const restarts = 20

describe('with programs that buy and an active tunnel', () => {
  let scene: Scene
  beforeEach(async () => {
    scene = await openScene()
  }, 200_000)
  afterEach(() => scene.close(), 60_000)

  it(
    'the database is unreachable for a time: tunnels continue, writes and webhooks get 503, the site shows it, everything is settled afterwards',
    async () => {
      const { api, postgres, database, programs, tunnel } = scene
      const running = Promise.all(programs.map((program) => program.run()))
      const buyer = programs[0]?.buyer
      const call = api.client(buyer?.token ?? '')
      const order = { payment_method: 'sandbox', amount: 1, pool: 'residential_premium' } as const
      const url = await call('create_invoice_web', order)
      await sleep(500)

      await postgres.halt()
      const haltedAt = performance.now()
      const before = tunnel.relayedLeast(haltedAt)
      expect(await readiness(api)).toBe(503)
      await expect(call('create_invoice_web', order)).rejects.toMatchObject({
        status: 503,
        code: 'temporarily_unavailable',
        message: expect.stringMatching(/\w/),
      })
      const notice = await fetch(`${api.origin}/api/webhooks/sandbox`, { method: 'POST', body: '{}' })
      expect([notice.status, notice.headers.get('retry-after')]).toEqual([503, '5'])
      // The tunnel relayed on meanwhile, within its lease.
      expect(tunnel.relayedLeast(performance.now())).toBeGreaterThan(before)
      await sleep(Math.max(0, awaySeconds * 1000 - (performance.now() - haltedAt)))
      expect(await readiness(api)).toBe(503)

      await postgres.start()
      await until(async () => (await readiness(api)) === 200, promisedMs(5000), 'the api to be ready again')
      await backAgain(database)
      // The processor repeats the notifications that were not accepted.
      expect((await press(api.origin, url.split('/').at(-1) ?? '', 'paid')).status).toBe(303)
      await sleep(1000)
      expect(await reckon(scene, running)).toEqual([])
      await scene.gateway.stop()
      await tunnel.ended
      const { charged, held } = await scene.spent()
      expect(charged + held).toBe(20_000_000_000n)
      expect(Number(charged)).toBeLessThanOrEqual(tunnel.relayedMost())
      expect(Number(charged)).toBeGreaterThanOrEqual(tunnel.relayedLeast(performance.now()) - 16_384)
    },
    300_000 + awaySeconds * 2000,
  )

  it(
    'P9: the database is restarted repeatedly: 503 while it is down, ready within 5 s, no wrong answer, no tunnel lost',
    async () => {
      const { api, postgres, database, programs, tunnel } = scene
      const running = Promise.all(programs.map((program) => program.run()))
      let isOver = false
      void tunnel.ended.then(() => (isOver = true))
      const done = () => operationsOf(programs)
      const slow: number[] = []
      for (let time = 0; time < restarts; time++) {
        const enough = done() + 4
        await until(() => done() >= enough, 60_000, 'the programs to get on')
        await sleep(Math.random() * 100)
        await postgres.halt()
        await postgres.start()
        const startedAt = performance.now()
        await until(async () => (await readiness(api)) === 200, promisedMs(5000), 'the api to be ready again')
        slow.push(performance.now() - startedAt)
      }
      expect(slow).toHaveLength(restarts)
      await backAgain(database)
      expect(isOver).toBe(false)
      expect(await reckon(scene, running)).toEqual([])
      expect(done()).toBeGreaterThanOrEqual(4 * restarts)
    },
    600_000 + restarts * 20_000,
  )
})
