/**
 * Tunnels at a constant rate during an outage of the database, and of the feed: `npm run bench:outage`.
 * docs/bench-outage.md has the method and the results. `--seconds`, `--before`, `--tunnels` and
 * `--bytes-per-second` (per tunnel) change it; `--write` puts the results into that page. Exits with 1 when a
 * tunnel was slower than allowed, or a charge is wrong.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type Holder,
  openOutageScene,
  type OutageScene,
  type PacedTunnel,
  pacedTunnels,
  startPacedTarget,
  sumOf,
} from '#test/outage'
import { until } from '#test/stack'
import { Report } from './report.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    before: { type: 'string', default: '20' },
    tunnels: { type: 'string', default: '36' },
    'bytes-per-second': { type: 'string', default: '250000' },
    write: { type: 'boolean', default: false },
  },
})
const [seconds, before] = [Number(values.seconds), Number(values.before)]
const [count, bytesPerSecond] = [Number(values.tunnels), Number(values['bytes-per-second'])]
/** The least rate of a tunnel in any second, as a fraction of its rate before the outage. */
const leastPart = 0.9
const plenty = 10_000_000_000_000n

const report = new Report()

report.machine()
const rows: string[] = []
const scene = await openOutageScene()
try {
  await goingOn(scene)
  await ending(scene, 'database')
  await ending(scene, 'feed')
} finally {
  await scene.close()
}
report.judge()
if (values.write) report.write(path.join(import.meta.dirname, '../docs/bench-outage.md'))

/** Measures tunnels with an ample balance in an outage of the database, then in one of the feed. */
async function goingOn(shop: OutageScene): Promise<void> {
  const holder = await shop.holder('residential', plenty)
  const target = await startPacedTarget({ bytesPerSecond })
  const tunnels = await pacedTunnels(shop, holder, { count, port: target.port })
  await sleep(10_000)
  const usual = await during('before', tunnels, null, before)
  for (const part of ['database', 'feed'] as const) {
    await shop[part].halt()
    await during(`without the ${part}`, tunnels, usual, seconds)
    await shop[part].start()
    await during(`after the ${part} is back`, tunnels, usual, 10)
  }
  target.finish()
  await Promise.all(tunnels.map(({ ended }) => ended))
  const head = '| | slowest second of a tunnel | slowest second of all together | seconds below 90 % |'
  report.table([head, '|---|---|---|---|', ...rows].join('\n'))
  await billed(holder, tunnels, plenty)
  await target.close()
}

/** Observes the tunnels for this time; returns the usual bytes of a tunnel per second. */
async function during(
  what: string,
  tunnels: readonly PacedTunnel[],
  usual: number | null,
  forSeconds: number,
): Promise<number> {
  const from = performance.now()
  await sleep(forSeconds * 1000 + 100)
  const each = tunnels.map((tunnel) => tunnel.bySecond(from, performance.now()))
  const all = each.flat()
  const mean = usual ?? all.reduce((sum, bytes) => sum + bytes, 0) / all.length
  const together = Array.from({ length: forSeconds }, (_, second) =>
    each.reduce((sum, tunnel) => sum + (tunnel[second] ?? 0), 0),
  )
  const slow = all.filter((bytes) => bytes < mean * leastPart).length
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`
  const slowest = percent(Math.min(...all) / mean)
  const slowestTogether = percent(Math.min(...together) / mean / tunnels.length)
  rows.push(`| ${what}, ${forSeconds} s | ${slowest} | ${slowestTogether} | ${slow} of ${all.length} |`)
  if (usual !== null && slow > 0)
    report.miss(
      `${what}: ${slow} of ${all.length} seconds of a tunnel were below 90 %, the slowest ${slowest}.`,
    )
  return mean
}

/** Checks that a balance exhausted during an outage is used to the last byte and not exceeded. */
async function ending(shop: OutageScene, part: 'database' | 'feed'): Promise<void> {
  // With two gateways at least half of the balance is leased; the tunnels use up all leases by the middle of
  // the outage.
  const balance = BigInt(Math.round((count * bytesPerSecond * seconds) / 2)) + 7n
  const holder = await shop.holder(part === 'database' ? 'datacenter' : 'mobile', balance)
  const target = await startPacedTarget({ bytesPerSecond })
  const tunnels = await pacedTunnels(shop, holder, { count, port: target.port })
  await sleep(3000)
  await shop[part].halt()
  await sleep(seconds * 1000)
  const meanwhile = sumOf(tunnels)
  await shop[part].start()
  const backAt = performance.now()
  await Promise.all(tunnels.map(({ ended }) => ended))
  const took = ((performance.now() - backAt) / 1000).toFixed(1)
  const part1 = ((100 * meanwhile) / Number(balance)).toFixed(1)
  report.say(
    `A balance of ${balance} bytes that ends without the ${part}: ${meanwhile} relayed meanwhile (${part1} %), ${sumOf(tunnels)} in all; the rest within ${took} s of its return.`,
  )
  if (BigInt(sumOf(tunnels)) !== balance) report.miss(`It should have been ${balance} bytes.`)
  await billed(holder, tunnels, balance)
  await target.close()
}

/** Compares the ledger with the bytes that the clients counted. */
async function billed(holder: Holder, tunnels: readonly PacedTunnel[], credited: bigint): Promise<void> {
  const counted = BigInt(sumOf(tunnels))
  await until(async () => (await holder.books()).charged >= counted, 60_000, 'the reports to be settled')
  const { charged, held } = await holder.books()
  report.say(`Counted by ${tunnels.length} clients: ${counted} bytes. Charged: ${charged} bytes.`)
  if (charged !== counted || held !== credited - counted) report.miss('The bill is wrong.')
  for (const finding of await scene.wrong()) report.miss(`The books are wrong: ${JSON.stringify(finding)}`)
}
