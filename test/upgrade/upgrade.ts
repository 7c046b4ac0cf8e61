/**
 * `npm run test:upgrade`: upgrades a shop, and a gateway with its own disk, from an earlier release to this
 * tree under load, first the server, then the gateway; then upgrades the gateway repeatedly from this tree to
 * this tree. UPGRADE_FROM is the earlier release (default: the commit in ops/release/first.txt), UPGRADE_RATE
 * the number of new tunnels per second (300), UPGRADE_TIMES the number of upgrades (4). Exits with 1 when a
 * connection was refused or a tunnel broke in an upgrade of the gateway, or the bill is not exact.
 *
 * It runs in a network of its own, in which net.ipv4.tcp_migrate_req is 1
 * (docs/decisions/0018-upgrades-without-a-gap.md); UPGRADE_MIGRATES=0 shows the losses without it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '#contract/client'
import { bytesFromWire } from '#contract/traffic'
import { firstRelease } from '../../ops/release/first.ts'
import { startOrigin } from '../origin.ts'
import { runInNetwork } from '../own.network.ts'
import { freePort, freePortBase } from '../ports.ts'
import { lineOf, until } from '../stack.ts'
import { type Load, type Outcome, startLoad } from './load.ts'
import { checkOut, endAll, run, type Running, thisRelease } from './release.ts'

const from = process.env['UPGRADE_FROM'] ?? firstRelease()
const perSecond = Number(process.env['UPGRADE_RATE'] ?? 300)
const times = Number(process.env['UPGRADE_TIMES'] ?? 4)
const migrates = process.env['UPGRADE_MIGRATES'] === '0' ? '0' : '1'
const say = (text: string) => void process.stdout.write(`${text}\n`)

const print = ({ served, refused, broken }: Outcome) => {
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} × ${reason}`)
  return `${served} tunnels, refused: ${reasons.length === 0 ? 0 : reasons.join(', ')}, broken: ${broken}`
}
const isRefused = ({ refused }: Outcome) => Object.keys(refused).length > 0

const token = 'a-secret-that-both-ends-of-this-feed-know'

async function upgrade(folder: string): Promise<string[]> {
  const wrong: string[] = []
  if (from === null)
    throw new Error('ops/release/first.txt names no commit yet: name a release in UPGRADE_FROM.')
  const before = checkOut(from, path.join(folder, 'before'))
  const [port, serverBase, gatewayBase] = [await freePort(), await freePortBase(), await freePortBase()]
  const url = `http://127.0.0.1:${port}`
  const socket = path.join(folder, 'feed.sock')
  const common = { GATEWAY_SLOTS: '3', GATEWAY_ALLOW: '127.0.0.1', PUBLIC_URL: url, FEED_TOKEN: token }
  const serverEnv = {
    ...common,
    DATA_DIR: path.join(folder, 'server'),
    PORT: String(port),
    GATEWAY_PORT_BASE: String(serverBase),
    GATEWAY_WORKERS: '1',
    FEED_LISTEN: `unix:${socket}`,
    DESK_LISTEN: '',
    // The bill is the demo customer's, so the demo must not add its made-up month.
    DEMO_HISTORY: '0',
    LOG_LEVEL: 'warn',
  }
  const gatewayEnv = {
    ...common,
    DATA_DIR: path.join(folder, 'gateway'),
    FEED_URL: `unix:${socket}`,
    GATEWAY_PORT_BASE: String(gatewayBase),
    GATEWAY_WORKERS: '2',
    GATEWAY_DRAIN_SECONDS: '60',
    LOG_LEVEL: 'warn',
  }
  const startServer = (release: string) =>
    run(release, ['up'], { env: serverEnv, works: 'Turnpike is ready' })
  const startGateway = (release: string, words: string[] = []) =>
    run(release, ['gateway', ...words], { env: gatewayEnv, works: 'The gateway listens' })

  let server = await startServer(before)
  let gateway = await startGateway(before)
  const origin = await startOrigin()
  const client = (bearer: string | null) =>
    createClient({ baseUrl: url, token: () => bearer, language: () => 'en', timeoutMs: 20_000 })
  const people = JSON.parse(readFileSync(path.join(serverEnv.DATA_DIR, 'demo.json'), 'utf8')) as {
    customer: { username: string; password: string }
  }
  const call = client(await client(null)('signin', people.customer))
  const line = await lineOf(call, 'datacenter')
  const target = { host: origin.host, port: origin.echoPort }
  const load: Load = await startLoad({ port: gatewayBase + 2000, target, ...line }, { perSecond, held: 20 })
  const phase = async (name: string, work: () => Promise<void>): Promise<Outcome> => {
    await work()
    await sleep(1000)
    const outcome = load.outcome()
    say(`${name}: ${print(outcome)}`)
    return outcome
  }
  /** Ends the tunnels that the old gateway holds, and waits until it exits by itself. */
  const letEnd = async (old: Running) => {
    await load.renew()
    const code = await old.ended
    if (code !== 0) wrong.push(`the gateway before ended with ${code}:\n${old.said()}`)
  }

  await phase(`The release before (${from})`, () => sleep(3000))
  // Its database is unreachable meanwhile: tunnels continue within the gateway's leases.
  await phase('The server and its database are upgraded', async () => {
    server.child.kill('SIGTERM')
    await server.ended
    server = await startServer(thisRelease)
  })

  const first = await phase('The gateway is upgraded from the release before', async () => {
    const old = gateway
    gateway = await startGateway(thisRelease, ['--replace'])
    await letEnd(old)
  })
  if (isRefused(first) || first.broken > 0) wrong.push('the first upgrade was noticed')

  for (let time = 1; time <= times; time++) {
    const outcome = await phase(`The gateway is upgraded from this tree to this tree (${time})`, async () => {
      const old = gateway
      gateway = await startGateway(thisRelease, ['--replace'])
      await letEnd(old)
    })
    if (isRefused(outcome) || outcome.broken > 0) wrong.push(`upgrade ${time} was noticed`)
  }

  await load.stop()
  gateway.child.kill('SIGTERM')
  await gateway.ended
  const charged = async () =>
    bytesFromWire((await call('legacy_get_statistic', { period: 'week', pool: 'datacenter' })).total.traffic)
  await until(async () => (await charged()) === load.bytes(), 15_000, 'the bill').catch(() => undefined)
  const bill = await charged()
  say(`Through the tunnels: ${load.bytes()} bytes; charged: ${bill}.`)
  if (bill !== load.bytes()) wrong.push('the bill is not exact')
  await origin.close()
  return wrong
}

async function inside(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-upgrade-'))
  try {
    const wrong = await upgrade(folder)
    for (const what of wrong) say(`Wrong: ${what}`)
    return wrong.length === 0 ? 0 : 1
  } finally {
    await endAll()
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  const code =
    process.argv[2] === 'inside'
      ? await inside()
      : await runInNetwork({
          file: import.meta.filename,
          parameters: ['inside'],
          setUp: `echo ${migrates} > /proc/sys/net/ipv4/tcp_migrate_req`,
        })
  process.exit(code)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  // The load of a test that failed is still under way and would keep the process.
  process.exit(1)
}
