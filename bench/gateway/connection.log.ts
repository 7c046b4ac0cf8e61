/**
 * The cost of storing the source and target of connections: two shops, one with `CONNECTION_LOG=full`, one
 * with `none`, are measured in turn. `node bench/gateway/connection.log.ts`; docs/bench-desk.md has the
 * results.
 */
import { parseArgs } from 'node:util'
import { tunnels } from './load.ts'
import { startTarget } from './target.ts'
import { type Rival, startTurnpike } from './turnpike.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const warmUpSeconds = 5
const kinds = ['full', 'none'] as const
/** The highest accepted ratio of the gateway's CPU per tunnel, with the log to without it. */
const most = 1.05

const target = await startTarget()
const rivals = new Map<(typeof kinds)[number], Rival>()
const costs = new Map<string, number[]>()
try {
  for (const kind of kinds)
    rivals.set(kind, await startTurnpike(target.ports, { CONNECTION_LOG: kind, GATEWAY_WORKERS: '1' }))
  for (const { subject } of rivals.values()) await tunnels(subject, warmUpSeconds)
  for (let round = 0; round < rounds; round++)
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const rival = rivals.get(kind)
      if (rival === undefined) continue
      const { cpu } = await tunnels(rival.subject, seconds)
      for (const [part, us] of Object.entries(cpu)) {
        const name = `${part} ${kind}`
        costs.set(name, [...(costs.get(name) ?? []), us])
      }
    }
} finally {
  for (const { stack } of rivals.values()) await stack.close()
  target.close()
}

const median = (name: string) => {
  const sorted = (costs.get(name) ?? []).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
for (const part of ['gateway', 'server', 'postgres']) {
  const [full, none] = [median(`${part} full`), median(`${part} none`)]
  console.log(
    `${part}: ${full.toFixed(1)} µs of CPU per tunnel with full, ${none.toFixed(1)} with none: ${(full / none).toFixed(3)} times`,
  )
}
if (median('gateway full') > most * median('gateway none')) process.exitCode = 1
