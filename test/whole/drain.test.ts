import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, until } from '#test/stack'
import { tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

const pool = 'datacenter'
/** These tests include a complete restart. */
const patienceMs = 90_000

let stack: Stack
let origin: Origin

beforeAll(async () => {
  // Longer than any test waits: a process that ends earlier has not waited for it.
  ;[stack, origin] = await Promise.all([startStack({ GATEWAY_DRAIN_SECONDS: '600' }), startOrigin()])
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

async function wayOf(): Promise<Way> {
  const customer = await stack.signIn()
  const target = { host: origin.host, port: origin.echoPort }
  return { port: stack.portBase + 2000, target, ...(await customer.proxy(pool)) }
}
const charged = async () => bytesFromWire((await (await stack.signIn()).usage(pool)).total.traffic)
const isOver = () => stack.pids().length === 1
const refusesConnections = (way: Way) =>
  tunnel(way).then(
    (one) => {
      one.end()
      return one.status === ''
    },
    () => true,
  )

it(
  'SIGTERM: no new connections, open ones continue to their end, and then everything is settled',
  async () => {
    const way = await wayOf()
    const before = await charged()
    const [main = 0] = stack.pids()
    const open = await tunnel(way)
    await open.echo('before')
    process.kill(main, 'SIGTERM')
    await until(() => refusesConnections(way), 60_000, 'the ports to close')
    await open.echo('after it was asked to stop')
    open.end()
    await until(isOver, 60_000, 'everything to end')
    await stack.restart()
    expect(await charged()).toBe(before + 2n * BigInt('beforeafter it was asked to stop'.length))
  },
  patienceMs,
)

it(
  'SIGTERM a second time: open connections are cut immediately, and settled',
  async () => {
    const way = await wayOf()
    const before = await charged()
    const [main = 0] = stack.pids()
    const open = await tunnel(way)
    await open.echo('hello')
    process.kill(main, 'SIGTERM')
    await until(() => refusesConnections(way), 60_000, 'the ports to close')
    // Until the second signal is not treated as a duplicate of the first.
    await until(
      () => {
        process.kill(main, 'SIGTERM')
        return open.closed()
      },
      60_000,
      'the tunnel to be cut',
    )
    await until(isOver, 60_000, 'everything to end')
    await stack.restart()
    expect(await charged()).toBe(before + 10n)
  },
  patienceMs,
)

it(
  'SIGTERM to one worker drains that worker, which is then started again',
  async () => {
    const way = await wayOf()
    const [worker = 0, ...others] = stack.workers()
    const open = await Promise.all(Array.from({ length: 12 }, () => tunnel(way)))
    await Promise.all(open.map((one) => one.echo('hello')))
    process.kill(worker, 'SIGTERM')
    await Promise.all(open.map((one) => one.echo('still here')))
    for (const one of open) one.end()
    const isFresh = () => stack.workers().length === 1 + others.length && !stack.workers().includes(worker)
    await until(isFresh, 60_000, 'a new worker in its place')
    const again = await tunnel(way)
    await again.echo('hello')
    again.end()
  },
  patienceMs,
)
