/**
 * The gateway's end of the feed, over a stream that may break and come back.
 *
 * A call that was on its way when the stream broke is sent again on the next one: every call is safe to repeat.
 * A report settles once per number. A lease asked for twice is granted twice, but onto one and the same open lease:
 * what nobody heard of is not lost, it goes back to the balance when that lease is closed by a report.
 */

import type { Duplex } from 'node:stream'
import {
  type Feed,
  type FeedAccount,
  type FeedEvent,
  type FeedExit,
  type FeedNamed,
  type FeedPlaces,
  type FeedSlot,
  type FeedTargeting,
  type FeedUnknown,
  type LeaseGrant,
  type RecordBatch,
  FeedFailed,
  ReportRefused,
} from './feed.ts'
import { readFrames, writeFrame, type FeedCall, type Frame } from './frames.ts'

export interface FeedClientOptions {
  /** Opens the stream to the server; called again whenever it was lost. */
  connect: () => Duplex | Promise<Duplex>
  /** A call without an answer for this long fails. Default 15 s. */
  callTimeoutMs?: number
  /** Waits between attempts to connect: doubling from the first to the last. Default 50 to 1000 ms. */
  retryMs?: { first: number; last: number }
  /** Told of every loss of the connection. */
  onLost?: (fault: Error | null) => void
}

export interface FeedClient extends Feed {
  /** Whether a stream is open at present. */
  readonly connected: boolean
  /** Ends the connection; calls still waiting fail. */
  close(): void
}

interface Call {
  call: FeedCall
  args: unknown[]
  resolve: (value: unknown) => void
  reject: (fault: Error) => void
  timer: NodeJS.Timeout
}

/** More calls than this at once mean that the server is away; failing fast keeps memory bounded. */
const MOST_CALLS = 10_000

class StreamFeed implements FeedClient {
  #stream: Duplex | null = null
  #closed = false
  #lastId = 0
  #delayMs: number
  #retryTimer: NodeJS.Timeout | null = null
  readonly #calls = new Map<number, Call>()
  readonly #listeners = new Set<(event: FeedEvent) => void>()
  readonly #options: FeedClientOptions
  readonly #retryMs: { first: number; last: number }

  constructor(options: FeedClientOptions) {
    this.#options = options
    this.#retryMs = options.retryMs ?? { first: 50, last: 1000 }
    this.#delayMs = this.#retryMs.first
    void this.#connect(false)
  }

  get connected(): boolean {
    return this.#stream !== null
  }

  async hello(gateway: { gateway: string; boot: string }): Promise<void> {
    await this.#call('hello', [gateway])
  }

  async account(key: { login: string; pool: string }): Promise<FeedAccount | null> {
    return (await this.#call('account', [key])) as FeedAccount | null
  }

  async places(key: { login: string; set: string }): Promise<FeedPlaces | null> {
    return (await this.#call('places', [key])) as FeedPlaces | null
  }

  async whitelisted(key: { pool: string; address: string }): Promise<FeedAccount | null> {
    return (await this.#call('whitelisted', [key])) as FeedAccount | null
  }

  async named(key: FeedNamed): Promise<string[]> {
    return (await this.#call('named', [key])) as string[]
  }

  async unknown(key: FeedTargeting): Promise<FeedUnknown[]> {
    return (await this.#call('unknown', [key])) as FeedUnknown[]
  }

  async slot(key: { account: bigint; slot: number }): Promise<FeedSlot | null> {
    return (await this.#call('slot', [key])) as FeedSlot | null
  }

  async exits(): Promise<FeedExit[]> {
    return (await this.#call('exits', [])) as FeedExit[]
  }

  async permits(...args: Parameters<Feed['permits']>): Promise<number> {
    return (await this.#call('permits', args)) as number
  }

  async lease(...args: Parameters<Feed['lease']>): Promise<LeaseGrant> {
    return (await this.#call('lease', args)) as LeaseGrant
  }

  async report(...args: Parameters<Feed['report']>): Promise<void> {
    await this.#call('report', args)
  }

  async record(batch: RecordBatch): Promise<void> {
    await this.#call('record', [batch])
  }

  async heartbeat(gateway: { gateway: string; boot: string }): Promise<void> {
    await this.#call('heartbeat', [gateway])
  }

  subscribe(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#closed = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#stream?.destroy()
    this.#stream = null
    for (const [id, call] of this.#calls)
      this.#settle(id)?.reject(new Error(`the feed was closed: ${call.call}`))
  }

  #call(call: FeedCall, args: unknown[]): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('the feed is closed'))
    if (this.#calls.size >= MOST_CALLS) return Promise.reject(new Error('the feed is overloaded'))
    const id = ++this.#lastId
    const timeoutMs = this.#options.callTimeoutMs ?? 15_000
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#settle(id)?.reject(new Error(`the feed did not answer in ${timeoutMs} ms: ${call}`)),
        timeoutMs,
      )
      this.#calls.set(id, { call, args, resolve, reject, timer })
      if (this.#stream !== null) writeFrame(this.#stream, { id, call, args })
    })
  }

  #settle(id: number): Call | null {
    const call = this.#calls.get(id)
    if (call === undefined) return null
    clearTimeout(call.timer)
    this.#calls.delete(id)
    return call
  }

  async #connect(again: boolean): Promise<void> {
    let stream: Duplex
    try {
      stream = await this.#options.connect()
    } catch (fault) {
      this.#lost(fault instanceof Error ? fault : new Error(String(fault)))
      return
    }
    if (this.#closed) {
      stream.destroy()
      return
    }
    if (stream.destroyed) {
      this.#lost(stream.errored)
      return
    }
    let broken: Error | null = null
    stream.on('error', (fault) => (broken = fault))
    stream.on('end', () => stream.destroy())
    stream.on('close', () => {
      if (this.#stream === stream) this.#lost(broken)
    })
    this.#stream = stream
    // The order within a map is the order of asking, so reports go out again in their sequence.
    for (const [id, { call, args }] of this.#calls) writeFrame(stream, { id, call, args })
    // Events of the time without a stream were missed.
    if (again) this.#tell({ type: 'reset' })
    readFrames(stream, (frame) => this.#heard(frame))
  }

  #lost(fault: Error | null): void {
    this.#stream = null
    if (this.#closed) return
    this.#options.onLost?.(fault)
    this.#retryTimer = setTimeout(() => void this.#connect(true), this.#delayMs)
    this.#delayMs = Math.min(this.#delayMs * 2, this.#retryMs.last)
  }

  #heard(frame: Frame): void {
    // The other end speaks, so the next loss starts with a short wait again.
    this.#delayMs = this.#retryMs.first
    if ('event' in frame) this.#tell(frame.event)
    else if ('ok' in frame) this.#settle(frame.id)?.resolve(frame.ok)
    else if ('fault' in frame)
      this.#settle(frame.id)?.reject(
        frame.refused ? new ReportRefused(frame.fault) : new FeedFailed(frame.fault),
      )
  }

  #tell(event: FeedEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** A Feed over a stream: reconnects by itself and repeats what was unanswered. */
export function connectFeed(options: FeedClientOptions): FeedClient {
  return new StreamFeed(options)
}
