import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { drip, opens, type Drip } from './drip.ts'

const kills = 20

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

const charged = async () => bytesFromWire((await customer.usage('datacenter')).total.traffic)

/** Waits until the charge is unchanged in three consecutive samples. */
async function settled(): Promise<bigint> {
  let last = await charged()
  let same = 0
  await until(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      const now = await charged()
      same = now === last ? same + 1 : 0
      last = now
      return same >= 3
    },
    60_000,
    'the charge to come to rest',
  )
  return last
}

it(`kill -9 of the gateway, ${kills} times: no customer is charged more than was relayed, nor less than was relayed 100 ms before`, async () => {
  const { login, password } = await customer.proxy('datacenter')
  const way = {
    port: stack.portBase + 2000,
    login,
    password,
    target: { host: origin.host, port: origin.echoPort },
  }
  for (let round = 0; round < kills; round++) {
    const before = await settled()
    const workers = stack.workers()
    expect(workers).toHaveLength(2)
    const drips: Drip[] = await Promise.all(Array.from({ length: 4 }, () => drip(way)))
    // Kills at a random moment of the transfers.
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 350))
    const killedAt = performance.now()
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    await Promise.all(drips.map(({ ended }) => ended))

    const fresh = () => stack.workers().filter((pid) => !workers.includes(pid)).length === 2
    await until(fresh, 60_000, 'the workers to be started again')
    await until(() => opens(way), 60_000, 'a tunnel through the new workers')
    const bytes = (await settled()) - before
    const mostSent = drips.reduce((sum, { relayedMost }) => sum + relayedMost(), 0)
    const least = drips.reduce((sum, { relayedLeast }) => sum + relayedLeast(killedAt - 100), 0)
    expect(Number(bytes)).toBeLessThanOrEqual(mostSent)
    expect(Number(bytes)).toBeGreaterThanOrEqual(least)
  }
  await until(
    async () => {
      const [profile] = await customer.call('legacy_profile', {})
      return bytesFromWire(profile?.datacenter.balance ?? 0) + (await charged()) === 10_000_000_000n
    },
    60_000,
    'balance and charge to add up to what was given',
  )
}, 240_000)
