/**
 * Records of requests on their way to the server: best effort, in batches, apart from the exact reports of bytes. They
 * must never slow a tunnel or a settlement, so everything is bounded: the queue, the batch, and the successful requests
 * of one subuser that are kept in a minute. Refused and failed requests are always kept, until the queue is full.
 * Requests without a record are counted by subuser and minute, and the counts are sent.
 */

import type { Feed, RecordBatch, RequestRecord } from '#feed'
import type { Trace } from './trace.ts'

const FLUSH_MS = 1000
/** Bounds the memory while the server is unreachable. */
const MOST_WAITING = 20_000
/** One batch; the rest is sent in the next second. */
const MOST_IN_BATCH = 4000
/** Successful requests of all accounts in one second: the server must not have to write thousands a second. */
const MOST_DONE_PER_FLUSH = 1000
const MINUTE_MS = 60_000
/**
 * The maximum number of pairs of subuser and minute whose losses are counted; losses of further pairs only add to
 * `dropped`.
 */
const MOST_COUNTED = 10_000

/** Successful requests of one subuser kept in one minute, by one gateway process. */
export const DONE_PER_MINUTE = 120

export interface RecordsOptions {
  feed: Pick<Feed, 'record'>
  onFault: (fault: unknown) => void
  /** Epoch milliseconds. */
  clock?: () => number
}

export class Records {
  /** Requests since the start without a record: there were too many, or the server was unreachable. */
  dropped = 0
  kept = 0
  readonly #options: RecordsOptions
  readonly #clock: () => number
  #waiting: Trace[] = []
  #doneInFlush = 0
  #minute = 0
  /** Successful requests of the current minute, by subuser. */
  readonly #done = new Map<bigint, number>()
  /** By minute and subuser. */
  #unkept = new Map<number, Map<bigint, RecordBatch['unkept'][number]>>()
  #counted = 0
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null

  constructor(options: RecordsOptions) {
    this.#options = options
    this.#clock = options.clock ?? Date.now
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  /** Queues a request that has ended. The record is made later, so that it includes a refusal that is being sent. */
  keep(trace: Trace): void {
    if (trace.isKept || trace.subuser === null) return
    trace.isKept = true
    const isDone = trace.end?.outcome === 'done'
    if (this.#waiting.length >= MOST_WAITING || (isDone && !this.#hasRoom(trace.subuser))) this.#drop(trace)
    else this.#waiting.push(trace)
  }

  /** Sends the queued records; one batch at a time. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => (this.#sending = null))
    return this.#sending
  }

  /** Sends the rest, unless the server is unreachable. */
  async stop({ isAway = false } = {}): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (isAway) return
    await this.flush()
    await this.flush()
  }

  #hasRoom(subuser: bigint): boolean {
    const minute = Math.floor(this.#clock() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#done.clear()
    }
    const done = this.#done.get(subuser) ?? 0
    if (done >= DONE_PER_MINUTE || this.#doneInFlush >= MOST_DONE_PER_FLUSH) return false
    this.#done.set(subuser, done + 1)
    this.#doneInFlush++
    return true
  }

  #drop({ subuser, atMs }: Pick<Trace, 'subuser' | 'atMs'>): void {
    this.dropped++
    if (subuser !== null) this.#count(subuser, Math.floor(atMs / MINUTE_MS) * MINUTE_MS, 1)
  }

  #count(subuser: bigint, minute_ms: number, requests: number): void {
    let inMinute = this.#unkept.get(minute_ms)
    if (inMinute === undefined) this.#unkept.set(minute_ms, (inMinute = new Map()))
    const known = inMinute.get(subuser)
    if (known !== undefined) known.requests += requests
    else if (this.#counted++ < MOST_COUNTED) inMinute.set(subuser, { subuser, minute_ms, requests })
  }

  async #send(): Promise<void> {
    this.#doneInFlush = 0
    const traces = this.#waiting.splice(0, MOST_IN_BATCH)
    const unkept = [...this.#unkept.values()].flatMap((inMinute) => [...inMinute.values()])
    if (traces.length === 0 && unkept.length === 0) return
    this.#unkept = new Map()
    this.#counted = 0
    const records = traces.map((trace) => trace.record()).filter((one): one is RequestRecord => one !== null)
    try {
      await this.#options.feed.record({ records, unkept })
      this.kept += records.length
    } catch (error) {
      // Records are sent once; the counts of losses are sent again.
      for (const trace of traces) this.#drop(trace)
      for (const { subuser, minute_ms, requests } of unkept) this.#count(subuser, minute_ms, requests)
      this.#options.onFault(error)
    }
  }
}
