/** Counters of this worker, for the operator's charts. */

import type { Trace } from './trace.ts'

/** Upper bounds in milliseconds; longer times are in the count alone. */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const

/**
 * A histogram: the number that took at most each bound. Inside this file a bucket counts only what is above
 * the bucket before.
 */
export interface Latency {
  buckets: number[]
  count: number
  sumMs: number
}

export interface PoolCount {
  bytesUp: number
  bytesDown: number
  /** Forgiven bytes, in both directions. */
  bytesForgiven: number
  /** The number of ended tunnels and requests, by outcome. */
  ended: Record<string, number>
  /** The time from the choice of an exit to an open connection. */
  connect: Latency
  /** The time from the start of the request to the target's first byte. */
  firstByte: Latency
}

const noBytes = { bytesUp: 0, bytesDown: 0, bytesForgiven: 0 }
const emptyLatency = (): Latency => ({ buckets: LATENCY_BOUNDS_MS.map(() => 0), count: 0, sumMs: 0 })

function observe(latency: Latency, ms: number): void {
  latency.count++
  latency.sumMs += ms
  for (let index = 0; index < LATENCY_BOUNDS_MS.length; index++) {
    if (ms > (LATENCY_BOUNDS_MS[index] ?? 0)) continue
    latency.buckets[index] = (latency.buckets[index] ?? 0) + 1
    return
  }
}

function cumulative(latency: Latency): Latency {
  let sum = 0
  return { ...latency, buckets: latency.buckets.map((count) => (sum += count)) }
}

export class Counters {
  bytesUp = 0
  bytesDown = 0
  connections = 0
  /** By code. */
  readonly refusals: Record<string, number> = {}
  readonly #pools = new Map<string, PoolCount>()

  countRefusal(code: string): void {
    this.refusals[code] = (this.refusals[code] ?? 0) + 1
  }

  /** Counts a tunnel or request that has ended. */
  countEnd(trace: Trace): void {
    const { end, pool } = trace
    if (end === null) return
    this.bytesUp += end.upBytes
    this.bytesDown += end.downBytes
    let counted = this.#pools.get(pool)
    if (counted === undefined) {
      counted = { ...noBytes, ended: {}, connect: emptyLatency(), firstByte: emptyLatency() }
      this.#pools.set(pool, counted)
    }
    counted.bytesUp += end.upBytes
    counted.bytesDown += end.downBytes
    counted.bytesForgiven += end.forgivenBytes
    counted.ended[end.outcome] = (counted.ended[end.outcome] ?? 0) + 1
    const [chosen, connected] = [trace.msOf('exit_chosen'), trace.msOf('connected')]
    if (chosen !== null && connected !== null) observe(counted.connect, connected - chosen)
    const firstByte = trace.msOf('first_byte')
    if (firstByte !== null) observe(counted.firstByte, firstByte)
  }

  pools(): Record<string, PoolCount> {
    return Object.fromEntries(
      [...this.#pools].map(([pool, counted]) => {
        const { connect, firstByte } = counted
        return [pool, { ...counted, connect: cumulative(connect), firstByte: cumulative(firstByte) }]
      }),
    )
  }
}
