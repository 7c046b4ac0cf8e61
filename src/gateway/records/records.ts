/**
 * Records of all tunnels and requests on their way to the server: in numbered batches, one at a time, apart
 * from the exact reports of bytes. A batch that was not answered is sent again under its number, so each
 * record is taken once. They are kept in memory only: a kill loses those of the last half second and those
 * that the server had not taken. Nothing waits for them. Beyond the bound the oldest are dropped, counted by
 * access and minute, and the counts are sent.
 */

import { randomBytes } from 'node:crypto'
import { type Feed, type RecordBatch, ReportRefused } from '#feed'
import { parseConnection, writeConnection } from '#feed/connection.record'
import { TextBuffer } from '#lib/text.buffer'
import type { Trace } from './trace.ts'

const FLUSH_MS = 500
/** After a failure, batches are sent again after this time. */
const REST_MS = 2000
const MOST_IN_BATCH = 2000
/**
 * The number of records that are printed together. Printed one at a time, the code would have left the
 * processor's caches; more records would outlive V8's young generation, with everything they refer to.
 */
const PRINTED_AT_ONCE = 64
/** About 80,000 records: bounds the memory while the server is unreachable. */
const MOST_CHARS = 16 * 1024 * 1024
const MINUTE_MS = 60_000
/**
 * The maximum number of pairs of access and minute whose losses are counted; losses of further pairs only
 * add to `dropped`.
 */
const MOST_COUNTED = 10_000

type Unkept = RecordBatch['unkept'][number]

interface Batch {
  number: number
  /** Records with an LF between them. */
  lines: string
  count: number
  unkept: Unkept[]
}

export interface RecordsOptions {
  feed: Pick<Feed, 'record'>
  /** The stable name of this worker. */
  gateway: string
  boot: string
  onFault: (fault: unknown) => void
  /** Default: 16 MiB. */
  mostChars?: number
}

export class Records {
  /** Requests since the start without a record: the server was unreachable for too long. */
  dropped = 0
  kept = 0
  readonly #options: RecordsOptions
  /** The numbers restart with each start of the worker, even when its boot is resumed. */
  readonly #run = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
  #number = 0
  #waiting: Trace[] = []
  /** Printed records of the next batch. */
  readonly #printed = new TextBuffer(64 * 1024)
  #printedCount = 0
  #batches: Batch[] = []
  #chars = 0
  /** By minute and access. */
  #unkept = new Map<number, Map<bigint, Unkept>>()
  #counted = 0
  #restsUntil = -Infinity
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null

  constructor(options: RecordsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), FLUSH_MS)
    this.#timer.unref()
  }

  /**
   * Queues a request that has ended. The record is made later, so that it includes a refusal that is being
   * sent.
   */
  keep(trace: Trace): void {
    if (trace.isKept || trace.access === null) return
    trace.isKept = true
    this.#waiting.push(trace)
    if (this.#waiting.length === PRINTED_AT_ONCE) setImmediate(() => this.#print())
  }

  /** Sends what is queued. */
  flush(): Promise<void> {
    this.#seal()
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

  #tick(): void {
    if (performance.now() >= this.#restsUntil) void this.flush()
    else this.#seal()
  }

  /** Prints what has ended, and closes the batch. */
  #seal(): void {
    this.#print()
    if (this.#printedCount > 0) this.#closeBatch()
    while (this.#chars > (this.#options.mostChars ?? MOST_CHARS)) this.#dropOldest()
    if (this.#unkept.size > 0 && this.#batches.length === 0) this.#closeBatch()
  }

  /**
   * Stored as bytes: a string for each record would be one more object that outlives the young generation.
   */
  #print(): void {
    const traces = this.#waiting
    if (traces.length > 0) this.#waiting = []
    for (const trace of traces) {
      const record = trace.record()
      if (record === null) continue
      if (this.#printedCount > 0) this.#printed.ascii('\n')
      writeConnection(this.#printed, record)
      if (++this.#printedCount === MOST_IN_BATCH) this.#closeBatch()
    }
  }

  #closeBatch(): void {
    const unkept = [...this.#unkept.values()].flatMap((inMinute) => [...inMinute.values()])
    this.#unkept = new Map()
    this.#counted = 0
    const lines = this.#printed.take()
    this.#batches.push({ number: ++this.#number, lines, count: this.#printedCount, unkept })
    this.#printedCount = 0
    this.#chars += lines.length
  }

  #dropOldest(): void {
    const batch = this.#batches.shift()
    if (batch === undefined) return
    this.#chars -= batch.lines.length
    this.#drop(batch)
  }

  #drop({ lines, count, unkept }: Batch): void {
    this.dropped += count
    for (const line of count === 0 ? [] : lines.split('\n')) {
      const { access, at_ms } = parseConnection(line)
      this.#count(access, Math.floor(at_ms / MINUTE_MS) * MINUTE_MS, 1)
    }
    for (const { access, minute_ms, requests } of unkept) this.#count(access, minute_ms, requests)
  }

  #count(access: bigint, minute_ms: number, requests: number): void {
    let inMinute = this.#unkept.get(minute_ms)
    if (inMinute === undefined) this.#unkept.set(minute_ms, (inMinute = new Map()))
    const known = inMinute.get(access)
    if (known !== undefined) known.requests += requests
    else if (this.#counted++ < MOST_COUNTED) inMinute.set(access, { access, minute_ms, requests })
  }

  /** One batch after the other, until none is left or one fails. */
  async #send(): Promise<void> {
    const { feed, gateway, boot, onFault } = this.#options
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      // The batch under way is not in the queue: it cannot be dropped while the server may be taking it.
      this.#chars -= batch.lines.length
      const { number, lines, count, unkept } = batch
      try {
        await feed.record({
          unkept,
          batch: { gateway, boot, run: this.#run, number, lines },
        })
        this.kept += count
      } catch (error) {
        onFault(error)
        if (error instanceof ReportRefused) {
          this.#drop(batch)
          continue
        }
        this.#batches.unshift(batch)
        this.#chars += batch.lines.length
        this.#restsUntil = performance.now() + REST_MS
        return
      }
    }
  }
}
