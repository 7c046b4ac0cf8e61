import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, startStack, until } from '#test/stack'
import { type Tunnel, tunnel, workerConnections } from './tunnel.ts'

/** The shop as installed, two workers and standby, on a Node.js without `process.binding`. */

const preload = path.join(import.meta.dirname, '../without.binding.mjs')

let stack: Stack
let origin: Origin
beforeAll(async () => {
  ;[stack, origin] = await Promise.all([
    startStack({
      METRICS_TOKEN: 'prometheus',
      GATEWAY_STANDBY: '1',
      NODE_OPTIONS: `--import ${preload}`,
    }),
    startOrigin(),
  ])
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

const bothRun = (what: string) =>
  until(async () => (await workerConnections(stack.origin, 'prometheus')).length === 2, 20_000, what)

it('the shop starts, reports what is missing, and its gateway relays and charges', async () => {
  expect(stack.said()).toContain('GATEWAY_STANDBY is ignored, all gateway workers accept')
  expect(stack.said()).toContain('this Node.js has no raw sockets; relaying costs more CPU')
  await bothRun('both workers to run')
  const customer = await stack.signIn()
  const target = { host: origin.host, port: origin.echoPort }
  const way = { port: stack.portBase, target, ...(await customer.proxy('residential')) }
  const open = await Promise.all(Array.from({ length: 8 }, () => tunnel(way)))
  for (const one of open) {
    expect(one.status).toContain(' 200 ')
    await one.echo('a few bytes')
    one.end()
  }
  const killed = stack.workers()
  for (const worker of killed) process.kill(worker, 'SIGKILL')
  await until(() => !stack.workers().some((pid) => killed.includes(pid)), 20_000, 'the killed workers to end')
  await bothRun('both workers to be started again')
  // The metrics may still count the killed workers, so the port may be closed yet.
  let again: Tunnel | null = null
  const isReached = async () => {
    again = await tunnel(way).catch(() => null)
    return again !== null
  }
  await until(isReached, 20_000, 'the started workers to listen')
  expect(again).toMatchObject({ status: expect.stringContaining(' 200 ') as string })
  ;(again as Tunnel | null)?.end()
}, 120_000)
