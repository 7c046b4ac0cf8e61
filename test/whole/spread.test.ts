import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, until } from '#test/stack'
import { type Tunnel, tunnel } from './tunnel.ts'
import type { Way } from './visitor.ts'

/** How connections are divided over the two workers of a machine, whichever of them the kernel gives one to. */

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
async function connections(): Promise<number[]> {
  const headers = { authorization: 'Bearer prometheus' }
  const text = await (await fetch(`${stack.origin}/metrics`, { headers })).text()
  const found = text.matchAll(/^turnpike_gateway_connections_open\{worker="\d+"\} (\d+)$/gm)
  return Array.from(found, ([, count]) => Number(count)).toSorted((a, b) => a - b)
}

async function untilDivided(counts: number[]): Promise<void> {
  let last: number[] = []
  await until(
    async () => (last = await connections()).join() === counts.join(),
    20_000,
    `connections divided as ${counts.join(' and ')}`,
  ).catch((error: unknown) => expect(last, (error as Error).message).toEqual(counts))
}

const open = async (count: number) => {
  const opened = await Promise.all(Array.from({ length: count }, () => tunnel(way)))
  for (const { status } of opened) expect(status).toContain(' 200 ')
  held.push(...opened)
}

const echoAll = () => Promise.all(held.map((one) => one.echo('a few bytes')))

it('eight tunnels are four for each, and every one of them relays', async () => {
  await untilDivided([0, 0])
  await open(8)
  await untilDivided([4, 4])
  await echoAll()
})

it('a worker that is started again gets as many as the other one', async () => {
  const [first = 0] = stack.workers()
  process.kill(first, 'SIGKILL')
  await until(() => held.filter((one) => one.closed()).length === 4, 10_000, 'its tunnels to end')
  held.splice(0, held.length, ...held.filter((one) => !one.closed()))
  await untilDivided([0, 4])
  await open(6)
  await untilDivided([5, 5])
  await echoAll()
})
