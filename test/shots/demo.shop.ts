/** The shop of the pictures: a demo with its month, and the services that it talks to. */
import { type Origin, startOrigin } from '#test/origin'
import { freePort } from '#test/ports'
import { startStack } from '#test/stack'
import { startFakes } from './fakes.ts'

export interface DemoShop {
  origin: string
  target: Origin
  close: () => Promise<void>
}

/** Starts the shop. The environment of this process names it until it is closed. */
export async function startDemoShop(): Promise<DemoShop> {
  // Each sign-up comes from a separate address; a browser makes passkeys for an address with a name only.
  const [port, deskPort] = [await freePort(), await freePort()]
  const origin = `http://localhost:${port}`
  const deskUrl = `http://localhost:${deskPort}`
  const target = await startOrigin()
  const fakes = await startFakes()
  const stack = await startStack({
    PORT: String(port),
    PUBLIC_URL: origin,
    TRUST_PROXY: '127.0.0.1',
    DESK_LISTEN: `127.0.0.1:${deskPort}`,
    DESK_URL: deskUrl,
    DEMO_HISTORY: '1',
    PAYOUTS: '1',
    // Every region is this machine: the generator offers only regions with a host.
    GATEWAY_HOSTS: 'eur=127.0.0.1,usa=127.0.0.1,jpn=127.0.0.1',
    RECEIPTS: 'manual',
    ...fakes.env,
  })
  const named = {
    TEST_ORIGIN: origin,
    TEST_DESK_URL: deskUrl,
    TEST_DATA_DIR: stack.dataDir,
    TEST_PORT_BASE: String(stack.portBase),
  }
  const before = Object.keys(named).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, named)
  return {
    origin,
    target,
    close: async () => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      await stack.close()
      await target.close()
      await fakes.close()
    },
  }
}
