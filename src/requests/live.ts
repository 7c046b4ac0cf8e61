/**
 * A live stream of requests for customers. A web server reads new records of an account only when a batch
 * with such records was stored (`live.watchers.ts`), and continues from a position, so that it omits and
 * repeats none (`position.ts`). See docs/decisions/0033-live-requests.md.
 */
import { randomUUID } from 'node:crypto'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { type News, readNews } from './live.read.ts'
import { readPosition } from './position.ts'
import { endWatch, noteWatch, readWakes, renewWatches, watchChannel, watchSeconds } from './live.watchers.ts'

/** The maximum number of streams of an account over all web servers. */
const mostStreams = 6
/**
 * The minimum time between reads of a stream, and between reads of all streams: each gateway sends two
 * batches a second.
 */
const paceMs = 200
const mostInRead = 500
/** How late a record may arrive after its request ended, when a gateway was disconnected. */
const lateMs = 10 * 60_000
/** A browser that returns later reloads the list. */
const oldestMs = 60 * 60_000
/** By then every batch that did not see a new watch is committed. */
const settledMs = 3_000

export interface StreamSink {
  /** New requests, after which the stream is at `position`. */
  send: (news: News) => void
  /** The stream has ended; the browser reconnects with its last position. */
  end: () => void
}

interface Stream extends StreamSink {
  account: bigint
  /** Null: from the first read on. */
  snapshot: string | null
  sinceMs: number
  isLost: boolean
  isFirst: boolean
}

export interface LiveOptions {
  now: () => Date
  /** Called with the error of a failed read, after the streams have ended. */
  onFault: (fault: unknown) => void
}

/** The streams of one web server. */
export class LiveRequests {
  readonly #database: Database
  readonly #options: LiveOptions
  readonly #watcher = randomUUID()
  /** By account, in base 36. */
  readonly #streams = new Map<string, Set<Stream>>()
  readonly #woken = new Set<Stream>()
  #listening: Promise<() => Promise<void>> | undefined
  #timer: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined
  #isReading = false
  #isClosed = false

  constructor(database: Database, options: LiveOptions) {
    this.#database = database
    this.#options = options
  }

  /** The number of open streams. */
  get size(): number {
    return [...this.#streams.values()].reduce((sum, streams) => sum + streams.size, 0)
  }

  /**
   * Opens a stream of an account's new requests, from a position on (null: from now on), and returns the
   * function that ends it. The first `send` comes at once. Refuses with `too_many_streams`.
   */
  async open(
    { account, position }: { account: bigint; position: string | null },
    sink: StreamSink,
  ): Promise<() => void> {
    const nowMs = this.#options.now().getTime()
    const known = position === null ? null : readPosition(position)
    const isKnown = known !== null && nowMs - known.atMs < oldestMs && known.atMs < nowMs + lateMs
    const stream: Stream = {
      ...sink,
      account,
      snapshot: isKnown ? known.snapshot : null,
      sinceMs: isKnown ? known.atMs - lateMs : nowMs,
      isLost: position !== null && !isKnown,
      isFirst: true,
    }
    const own = this.#add(stream)
    try {
      // Listens for notifications before the watch and the first read, so that no record is missed.
      this.#listening ??= this.#listen()
      await this.#listening
      const others = await noteWatch(this.#database.db, {
        account,
        watcher: this.#watcher,
        streams: own,
      })
      if (own + others > mostStreams) throw new Refusal('too_many_streams', { limit: mostStreams })
    } catch (error) {
      this.#remove(stream)
      throw error
    }
    this.#renewal ??= setInterval(() => this.#renew(), (watchSeconds * 1000) / 3).unref()
    this.#wake(stream, stream.sinceMs)
    setTimeout(() => this.#wake(stream, nowMs - 10 * settledMs), settledMs).unref()
    return () => this.#remove(stream)
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#renewal)
    const wasUsed = this.#listening !== undefined
    this.#endAll()
    if (!wasUsed) return
    await (
      await this.#listening
    )?.()
    await endWatch(this.#database.db, this.#watcher)
  }

  #listen(): Promise<() => Promise<void>> {
    const listening = this.#database.listen(
      watchChannel,
      (payload) => {
        for (const [account, endedMs] of readWakes(payload))
          for (const stream of this.#streams.get(account) ?? []) this.#wake(stream, endedMs)
      },
      // Notifications were lost: each stream reconnects from its position.
      { onGap: () => this.#endAll() },
    )
    listening.catch(() => (this.#listening = undefined))
    return listening
  }

  #add(stream: Stream): number {
    const key = stream.account.toString(36)
    const streams = this.#streams.get(key) ?? new Set()
    this.#streams.set(key, streams.add(stream))
    return streams.size
  }

  #remove(stream: Stream): void {
    const key = stream.account.toString(36)
    const streams = this.#streams.get(key)
    if (streams?.delete(stream) !== true) return
    this.#woken.delete(stream)
    if (streams.size === 0) this.#streams.delete(key)
    if (this.#isClosed) return
    const { db } = this.#database
    const { account } = stream
    const told =
      streams.size === 0
        ? endWatch(db, this.#watcher, account)
        : noteWatch(db, { account, watcher: this.#watcher, streams: streams.size })
    told.catch((fault: unknown) => this.#fail(fault))
  }

  #wake(stream: Stream, sinceMs: number): void {
    if (this.#streams.get(stream.account.toString(36))?.has(stream) !== true) return
    stream.sinceMs = Math.min(stream.sinceMs, sinceMs)
    this.#woken.add(stream)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isReading || this.#isClosed || this.#woken.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#isReading = true
      this.#read()
        .catch((fault: unknown) => this.#fail(fault))
        .finally(() => {
          this.#isReading = false
          this.#schedule()
        })
    }, paceMs)
  }

  async #read(): Promise<void> {
    const streams = [...this.#woken].slice(0, mostInRead)
    const wanted = streams.map(({ account, sinceMs, snapshot }) => ({ account, sinceMs, snapshot }))
    for (const stream of streams) {
      this.#woken.delete(stream)
      stream.sinceMs = Infinity
    }
    const news = await readNews(this.#database.db, wanted)
    for (const [index, stream] of streams.entries()) {
      const one = news[index]
      if (one === undefined) continue
      stream.snapshot = one.position.slice(one.position.indexOf('_') + 1)
      const { isFirst, isLost } = stream
      stream.isFirst = stream.isLost = false
      const isPartial = one.isPartial || isLost
      if (isFirst || isPartial || one.requests.length > 0) stream.send({ ...one, isPartial })
    }
  }

  #renew(): void {
    renewWatches(this.#database.db, this.#watcher).catch((fault: unknown) => this.#fail(fault))
  }

  #fail(fault: unknown): void {
    if (this.#isClosed) return
    this.#endAll()
    this.#options.onFault(fault)
  }

  #endAll(): void {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.end()
  }
}
