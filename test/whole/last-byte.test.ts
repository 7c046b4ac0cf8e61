import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, turnpike, until } from '#test/stack'
import { get, run } from './visitor.ts'

let stack: Stack
let origin: Origin
let customer: StackCustomer

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  customer = await stack.signIn()
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

const balance = async () => {
  const [profile] = await customer.call('legacy_profile', {})
  return bytesFromWire(profile?.mobile.balance ?? 0)
}

it('the gateway relays exactly the balance over four concurrent tunnels on two workers, then answers 402', async () => {
  const env = { DATA_DIR: stack.dataDir }
  await turnpike(env, 'promo', 'create-traffic', 'LAST', '--pool', 'mobile', '--mb', '200')
  await customer.call('activate_traffic_promocode', { code: 'LAST' })
  expect(await balance()).toBe(200_000_000n)

  const { login, password } = await customer.proxy('mobile')
  const target = { host: origin.host, port: origin.httpPort }
  const way = { port: stack.portBase + 3000, login, password, target }
  const errand = get('connect', way, '/bytes/200000000')
  const counts = await Promise.all(Array.from({ length: 4 }, () => run('connect', way, errand)))

  const relayed = counts.reduce((sum, { sent, received }) => sum + sent + received, 0)
  expect(relayed).toBe(200_000_000)
  await until(async () => (await balance()) === 0n, 60_000, 'the last report to be settled')
  const { total } = await customer.usage('mobile')
  expect(bytesFromWire(total.traffic)).toBe(200_000_000n)
  await expect(run('connect', way, errand)).rejects.toThrow('HTTP/1.1 402')
}, 120_000)
