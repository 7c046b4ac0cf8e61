/** What is counted of the tunnels and requests of each pool, for the operator's charts. */

import type { Trace } from './trace.ts'

/** Upper bounds in milliseconds; what is above the last is in the count alone. */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const

/** How many took at most so long: as they are counted, each in the first bound that holds it; as they are told, in all. */
export interface Latency {
  buckets: number[]
  count: number
  sumMs: number
}

export interface PoolCount {
  bytesUp: number
  bytesDown: number
  /** Ended tunnels and requests, by what ended them. */
  ended: Record<string, number>
  /** From the choice of an exit to an open connection. */
  connect: Latency
  /** From when it was accepted to the target's first byte. */
  firstByte: Latency
}

const noLatency = (): Latency => ({ buckets: LATENCY_BOUNDS_MS.map(() => 0), count: 0, sumMs: 0 })

function observe(latency: Latency, ms: number): void {
  latency.count++
  latency.sumMs += ms
  for (let index = 0; index < LATENCY_BOUNDS_MS.length; index++) {
    if (ms > (LATENCY_BOUNDS_MS[index] ?? 0)) continue
    latency.buckets[index] = (latency.buckets[index] ?? 0) + 1
    return
  }
}

function told(latency: Latency): Latency {
  let most = 0
  return { ...latency, buckets: latency.buckets.map((count) => (most += count)) }
}

export class PoolCounters {
  readonly #pools = new Map<string, PoolCount>()

  count(trace: Trace): void {
    const { end, pool } = trace
    if (end === null) return
    let counted = this.#pools.get(pool)
    if (counted === undefined) {
      counted = { bytesUp: 0, bytesDown: 0, ended: {}, connect: noLatency(), firstByte: noLatency() }
      this.#pools.set(pool, counted)
    }
    counted.bytesUp += end.upBytes
    counted.bytesDown += end.downBytes
    counted.ended[end.outcome] = (counted.ended[end.outcome] ?? 0) + 1
    const [chosen, connected] = [trace.msOf('exit_chosen'), trace.msOf('connected')]
    if (chosen !== null && connected !== null) observe(counted.connect, connected - chosen)
    const firstByte = trace.msOf('first_byte')
    if (firstByte !== null) observe(counted.firstByte, firstByte)
  }

  all(): Record<string, PoolCount> {
    return Object.fromEntries(
      [...this.#pools].map(([pool, counted]) => {
        const { connect, firstByte } = counted
        return [pool, { ...counted, connect: told(connect), firstByte: told(firstByte) }]
      }),
    )
  }
}
