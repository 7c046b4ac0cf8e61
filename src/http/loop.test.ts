import Fastify from 'fastify'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchLoop } from './loop.ts'

const registry = new Registry()
const server = Fastify()
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
/** Keeps the processor busy for this time in one turn of the event loop. */
function hold(ms: number): void {
  const until = cpuMs() + ms
  while (cpuMs() < until) continue
}
beforeAll(async () => {
  watchLoop(server, registry)
  server.get('/held', async () => {
    hold(150)
    return 'done'
  })
  server.get('/short', async () => {
    for (let turn = 0; turn < 15; turn++) {
      hold(10)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return 'done'
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => server.close())

const routes = async () => {
  const { values } = (await registry.getSingleMetric('turnpike_loop_held_seconds')?.get()) ?? { values: [] }
  return values
    .filter((value) => (value as { metricName?: string }).metricName?.endsWith('_count'))
    .map(({ labels, value }) => [labels['route'], value])
}

it('servers that share a registry and an event loop are watched together', async () => {
  const desk = Fastify()
  watchLoop(desk, registry)
  desk.get('/api/long_list', async () => {
    hold(150)
    return 'done'
  })
  await desk.inject('/api/long_list')
  await desk.close()
  const counted = await routes()
  expect(counted).toContainEqual(['/api/long_list', 1])
  expect(counted.filter(([route]) => route === 'none')).toEqual([])
})

it('a call that holds the event loop is counted with its route, one that works in pieces is not', async () => {
  await server.inject('/short')
  expect((await routes()).filter(([route]) => route === '/short')).toEqual([])
  await server.inject('/held')
  expect(await routes()).toContainEqual(['/held', 1])
})
