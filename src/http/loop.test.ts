import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { watchLoop } from './loop.ts'

const registry = new Registry()
const server = Fastify()

/**
 * The clocks of the watch. This process collects the garbage of many test files, and its machine has other
 * work: with real clocks a call in pieces would now and then be as long as one that holds the loop.
 */
const clocks = { wallMs: 0, cpuMs: 0 }
/** Time that passes within one turn of the event loop, with this much processor time of the thread. */
function spend(wallMs: number, cpuMs: number): void {
  clocks.wallMs += wallMs
  clocks.cpuMs += cpuMs
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.spyOn(performance, 'now').mockImplementation(() => clocks.wallMs)
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({
    user: clocks.cpuMs * 600,
    system: clocks.cpuMs * 400,
  }))
  watchLoop(server, registry)
  server.get('/held', async () => {
    spend(150, 150)
    return 'done'
  })
  server.get('/short', async () => {
    for (let turn = 0; turn < 15; turn++) {
      spend(10, 10)
      vi.advanceTimersByTime(10)
      await nextTurn()
    }
    return 'done'
  })
  server.get('/delayed', async () => {
    spend(150, 20)
    return 'done'
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await server.close()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const counted = async () => {
  const { values } = (await registry.getSingleMetric('turnpike_loop_held_seconds')?.get()) ?? { values: [] }
  return values
    .filter((value) => (value as { metricName?: string }).metricName?.endsWith('_count'))
    .map(({ labels, value }) => [labels['route'], value])
}

it('servers that share a registry and an event loop are watched together', async () => {
  const desk = Fastify()
  watchLoop(desk, registry)
  desk.get('/api/long_list', async () => {
    spend(150, 150)
    return 'done'
  })
  await desk.inject('/api/long_list')
  await desk.close()
  expect(await counted()).toEqual([['/api/long_list', 1]])
})

it('a call that holds the event loop is counted with its route, one that works in pieces is not', async () => {
  await server.inject('/short')
  expect((await counted()).filter(([route]) => route === '/short')).toEqual([])
  await server.inject('/held')
  expect(await counted()).toContainEqual(['/held', 1])
})

it('a delay in which the machine gives the process no processor time is not counted', async () => {
  await server.inject('/delayed')
  expect((await counted()).filter(([route]) => route === '/delayed')).toEqual([])
})
