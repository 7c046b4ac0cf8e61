import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, until } from '#test/stack'
import { type Tunnel, tunnel, workerConnections } from './tunnel.ts'
import type { Way } from './visitor.ts'

/**
 * The distribution of connections over the two workers of a machine, whichever of them the kernel assigns
 * them to.
 */

let stack: Stack
let origin: Origin
let way: Way
const held: Tunnel[] = []
beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack({ METRICS_TOKEN: 'prometheus' }), startOrigin()])
  const customer = await stack.signIn()
  const target = { host: origin.host, port: origin.echoPort }
  way = { port: stack.portBase, target, ...(await customer.proxy('residential')) }
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

/** The connections of each worker that runs, fewest first. */
const connections = async () =>
  (await workerConnections(stack.origin, 'prometheus')).toSorted((a, b) => a - b)

/** Waits until both workers together have `sum` connections, and differ by at most two. */
async function untilDivided(sum: number): Promise<void> {
  await until(
    async () => {
      const [fewest = 0, most = 0] = await connections()
      return fewest + most === sum && most - fewest <= 2
    },
    20_000,
    `${sum} connections to be divided over two workers`,
  )
}

const open = async (count: number) => {
  const opened = await Promise.all(Array.from({ length: count }, () => tunnel(way)))
  for (const { status } of opened) expect(status).toContain(' 200 ')
  held.push(...opened)
}

const echoAll = () => Promise.all(held.map((one) => one.echo('a few bytes')))

it('eight tunnels are divided, and every one of them relays', async () => {
  await untilDivided(0)
  await open(8)
  await untilDivided(8)
  await echoAll()
})

it('a restarted worker gets as many connections as the other one', async () => {
  const [first = 0] = stack.workers()
  process.kill(first, 'SIGKILL')
  await until(() => held.filter((one) => one.closed()).length >= 3, 10_000, 'its tunnels to end')
  await until(async () => (await connections())[0] === 0, 20_000, 'the worker to be started again')
  held.splice(0, held.length, ...held.filter((one) => !one.closed()))
  await open(10 - held.length)
  await untilDivided(10)
  await echoAll()
})
