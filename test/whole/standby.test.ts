import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, until } from '#test/stack'
import { type Tunnel, tunnel, workerConnections } from './tunnel.ts'
import type { Way } from './visitor.ts'

/**
 * Two workers as installed: the first one accepts alone while it has time left, and the other takes over when
 * it dies.
 */

let stack: Stack
let origin: Origin
let way: Way
beforeAll(async () => {
  ;[stack, origin] = await Promise.all([
    startStack({ METRICS_TOKEN: 'prometheus', GATEWAY_STANDBY: '1' }),
    startOrigin(),
  ])
  const customer = await stack.signIn()
  const target = { host: origin.host, port: origin.echoPort }
  way = { port: stack.portBase, target, ...(await customer.proxy('residential')) }
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

/** The connections of each worker that runs, by its number. */
const connections = () => workerConnections(stack.origin, 'prometheus')

const open = (count: number) => Promise.all(Array.from({ length: count }, () => tunnel(way)))

it('one worker has all connections, and the other one serves while that restarts', async () => {
  const held = await open(8)
  for (const { status } of held) expect(status).toContain(' 200 ')
  await until(
    async () => {
      const counts = (await connections()).toSorted((a, b) => a - b)
      return counts[0] === 0 && counts[1] === 8
    },
    20_000,
    'all eight to be with one worker',
  )
  for (const worker of stack.workers()) {
    const before: Tunnel[] = await open(1)
    process.kill(worker, 'SIGKILL')
    // The port stays open without the process: no connection is refused, and those made meanwhile wait for
    // the other worker.
    for (const one of await open(4)) {
      expect(one.status).toContain(' 200 ')
      await one.echo('a few bytes')
      one.end()
    }
    for (const one of before) one.end()
    await until(async () => (await connections()).length === 2, 20_000, 'the worker to be started again')
  }
  for (const one of held) one.end()
}, 120_000)

it('a worker that hangs, or ends while a tunnel delays it, is replaced by the other one', async () => {
  await until(async () => (await connections()).length === 2, 20_000, 'both workers to run')
  const [held] = await open(1)
  if (held === undefined) throw new Error('there is no tunnel')
  expect(held.status).toContain(' 200 ')
  const workers = stack.workers()
  for (const worker of workers) process.kill(worker, 'SIGTERM')
  await until(
    async () => {
      const [next] = await open(1)
      next?.end()
      return next?.status.includes(' 200 ') === true
    },
    20_000,
    'a connection to be served while the workers end or are started again',
  )
  held.end()
  await until(
    async () => stack.workers().every((pid) => !workers.includes(pid)) && stack.workers().length === 2,
    30_000,
    'both workers to be started again',
  )
  await until(async () => (await connections()).length === 2, 20_000, 'both of them to run')
  // One of the two accepts; whichever it is, connections are served while it is stopped.
  for (const worker of stack.workers()) {
    process.kill(worker, 'SIGSTOP')
    try {
      const [next] = await open(1)
      expect(next?.status).toContain(' 200 ')
      next?.end()
    } finally {
      process.kill(worker, 'SIGCONT')
    }
  }
}, 120_000)
