/**
 * Two long tests of the gateway: `node bench/gateway/soak.ts idle` holds 10,000 tunnels for ten minutes and
 * observes the memory; `node bench/gateway/soak.ts churn` transfers bytes for half an hour over connections
 * that open, break and close, and then requires that everything is released: sockets, leases, and every byte
 * in the books. `--minutes` shortens them, and `--write` puts the results into docs/bench-gateway.md.
 */
import { parseArgs } from 'node:util'
import { bytesFromWire } from '#contract/traffic'
import { pools } from '#contract/wire'
import { until } from '#test/stack'
import { churn } from './churn.ts'
import { idle } from './load.ts'
import { openFiles, residentBytes } from './processes.ts'
import { writeReport } from './report.ts'
import { startTarget } from './target.ts'
import { type Rival, startTurnpike } from './turnpike.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    tunnels: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
  },
})
const what = positionals[0] === 'churn' ? 'churn' : 'idle'
const minutes = Number(values.minutes ?? (what === 'idle' ? 10 : 30))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)

const target = await startTarget()
const rival = await startTurnpike(target.ports, { LOG_LEVEL: 'error' })
let failed = false
try {
  const text = what === 'idle' ? await holdIdle(rival, Number(values.tunnels)) : await soak(rival)
  console.log(`\n${text}`)
  if (values.write) writeReport(what, text)
} catch (error) {
  failed = true
  console.error(error)
} finally {
  await rival.stack.close()
  target.close()
}
process.exit(failed ? 1 : 0)

function memoryOf({ stack }: Rival): number {
  return residentBytes(stack.workers())
}

function socketsOf({ stack }: Rival): number {
  return stack.workers().reduce((sum, pid) => sum + openFiles(pid), 0)
}

/** The number of tunnels that still echo a byte. */
async function echoing(lines: Awaited<ReturnType<typeof idle>>): Promise<number> {
  const echoed = await Promise.allSettled(
    lines.filter(({ closed }) => !closed).map((line) => line.ask('E', (got) => got.length > 0)),
  )
  return echoed.filter(({ status }) => status === 'fulfilled').length
}

/**
 * Holds tunnels and samples the memory every fifteen seconds. The gateway closes tunnels that are silent for
 * ten minutes, so each sends one byte at half time.
 */
async function holdIdle(one: Rival, count: number): Promise<string> {
  const before = memoryOf(one)
  const lines = await idle(one.subject, count)
  await pause(3000)
  const opened = memoryOf(one)
  const seen = [opened]
  const end = performance.now() + minutes * 60_000
  let isFirstHalf = true
  while (performance.now() < end) {
    if (isFirstHalf && end - performance.now() <= minutes * 30_000) {
      isFirstHalf = false
      await echoing(lines)
    }
    await pause(Math.min(15_000, Math.max(0, end - performance.now())))
    seen.push(memoryOf(one))
    console.log(`${mib(seen.at(-1) ?? 0)} MiB, ${lines.filter(({ closed }) => !closed).length} tunnels`)
  }
  const lost = lines.filter(({ closed }) => closed).length
  const alive = await echoing(lines)
  for (const { socket } of lines) socket.destroy()
  if (lost > 0 || alive < count) throw new Error(`${lost} tunnels ended, ${alive} of ${count} answered`)
  const growth = (seen.at(-1) ?? 0) - opened
  if (growth > opened * 0.05) throw new Error(`the memory grew by ${mib(growth)} MiB while nothing moved`)
  return [
    `${count} idle tunnels for ${minutes} minutes over ${one.stack.workers().length} workers: ${mib(before)} MiB before,`,
    `${mib(opened)} MiB with all open, from ${mib(Math.min(...seen))} to ${mib(Math.max(...seen))} MiB while they were`,
    `held, ${mib(seen.at(-1) ?? 0)} MiB at the end; all of them echoed a byte at half time and at the end.`,
  ].join('\n')
}

/** Charged bytes of all pools, according to the customer's statistics. */
async function chargedBytes({ customer }: Rival): Promise<bigint> {
  const usages = await Promise.all(pools.map((pool) => customer.usage(pool)))
  return usages.reduce((sum, { total }) => sum + bytesFromWire(total.traffic), 0n)
}

/** A counter of the gateway in the server's metrics, summed over the workers. */
async function metric({ stack }: Rival, name: string): Promise<number> {
  const text = await (await fetch(`${stack.origin}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  if (lines.length === 0) throw new Error(`the server's metrics have no ${name}`)
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function soak(one: Rival): Promise<string> {
  const before = socketsOf(one)
  const seen: number[] = []
  const done = await churn(one.subject, {
    minutes,
    charged: () => chargedBytes(one),
    onRound: ({ tunnels, broken }) => {
      seen.push(memoryOf(one))
      console.log(
        `${mib(seen.at(-1) ?? 0)} MiB, ${socketsOf(one)} files, ${tunnels} errands, ${broken} broken off`,
      )
    },
  })
  await until(async () => (await metric(one, 'turnpike_gateway_leases_open')) === 0, 90_000, 'no lease left')
  await until(() => socketsOf(one) <= before + one.stack.workers().length, 20_000, 'no socket left')
  // The first third fills caches and triggers compilation.
  const settledAt = seen[Math.floor(seen.length / 3)] ?? 0
  const growth = (seen.at(-1) ?? 0) - settledAt
  if (minutes >= 10 && growth > settledAt * 0.15) throw new Error(`the memory grew by ${mib(growth)} MiB`)
  return [
    `${minutes} minutes of churn, ${done.tunnels} tunnels and connections, ${done.broken} of them broken off by the client,`,
    `${mib(Number(done.bytes))} MiB: ${done.exactRounds} rounds of 20 s without broken ones were charged to the byte, the others within`,
    `what the kernel can have held. Afterwards ${socketsOf(one)} files open (${before} before) and no lease. Memory after each`,
    `round, MiB: ${seen.map(mib).join(', ')}.`,
  ].join('\n')
}
