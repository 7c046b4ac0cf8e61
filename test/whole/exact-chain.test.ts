import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesFromWire } from '#contract/traffic'
import { type Origin, startOrigin } from '#test/origin'
import { type Peer, startPeer } from '#test/peers'
import { inherited, type Stack, type StackCustomer, startStack, until } from '#test/stack'
import { get, post, type Protocol, run, type Way } from './visitor.ts'

let stack: Stack
let origin: Origin
let customer: StackCustomer
let way: Way

beforeAll(async () => {
  ;[stack, origin] = await Promise.all([startStack(), startOrigin()])
  customer = await stack.signIn()
  const { login, password } = await customer.proxy('residential')
  way = { port: stack.portBase, login, password, target: { host: origin.host, port: origin.httpPort } }
})
afterAll(async () => {
  await stack.close()
  await origin.close()
})

/** The output of `turnpike exits …`, run beside the running stack. */
async function exits(...words: string[]): Promise<unknown> {
  const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')
  const env = {
    ...inherited(),
    DATA_DIR: stack.dataDir,
    PUBLIC_URL: stack.origin,
    PORT: new URL(stack.origin).port,
  }
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'exits', ...words, '--json'], { env })
  return JSON.parse(stdout)
}

const charged = async () => bytesFromWire((await customer.usage('residential')).total.traffic)

async function settlesAt(before: bigint, bytes: bigint): Promise<void> {
  await until(async () => (await charged()) >= before + bytes, 60_000, `${bytes} bytes to be charged`)
  // After two report intervals and the time of an idle lease the charge must be unchanged.
  const quiet = performance.now() + 1500
  await until(() => performance.now() > quiet, 60_000, 'the reports to come to rest')
  expect((await charged()) - before).toBe(bytes)
}

const sum = (counts: { sent: number; received: number }[]) =>
  counts.reduce((total, { sent, received }) => total + BigInt(sent + received), 0n)

/** The exit in use; initially the demo's. */
let used = ''

// The other two are in src/gateway/exits/chain.peers.test.ts.
describe.each(['squid', 'microsocks'] as const)('behind %s', (name) => {
  let peer: Peer

  beforeAll(async () => {
    peer = await startPeer(name)
    if (used === '') {
      const [demo] = (await exits('list', '--pool', 'residential')) as { id: number }[]
      used = String(demo?.id)
    }
    const { username, password } = peer.login ?? { username: 'none', password: '' }
    const at = [`--${peer.kind}`, `127.0.0.1:${peer.port}`, '--everywhere']
    const login = ['--username', username, '--password', password]
    const added = (await exits('add', 'residential', name, ...at, ...login)) as { id: number }
    await exits('set', used, '--disable')
    used = String(added.id)
    // The gateways are notified within the time of an event; the commands took longer.
    const before = await charged()
    await settlesAt(before, sum([await run('connect', way, get('connect', way, '/bytes/1'))]))
  })

  it('payload is charged to the byte, in both directions, over all protocols concurrently, and handshakes are not', async () => {
    const before = await charged()
    const protocols: Protocol[] = ['http', 'connect', 'socks5']
    const counts = await Promise.all(
      protocols.flatMap((protocol) => [
        ...[0, 1, 65_537, 4_000_000].map((size) => run(protocol, way, get(protocol, way, `/bytes/${size}`))),
        ...[1, 2_000_000].map((size) => run(protocol, way, post(protocol, way, '/count', size))),
      ]),
    )
    for (const count of counts) expect(count.end).toBe('closed')
    await settlesAt(before, sum(counts))
  })

  it('nothing is charged when the target, or the exit itself, is unreachable', async () => {
    const before = await charged()
    const nowhere = { ...way, target: { host: '127.0.0.1', port: 1 } }
    await expect(run('connect', nowhere, { request: [] })).rejects.toThrow('HTTP/1.1 502')
    // All traffic went through this exit.
    await peer.stop()
    await expect(run('connect', way, { request: [] })).rejects.toThrow('HTTP/1.1 502')
    await settlesAt(before, 0n)
  })
})
