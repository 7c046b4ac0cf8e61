/**
 * The gateway's end of the feed, over a stream that may be lost and opened again.
 *
 * A call that was under way when the stream was lost is sent again on the next one: every call is safe to repeat. A report
 * settles once per number. A lease that is requested twice is granted twice, but onto the same open lease: a grant that
 * was not received returns to the balance when a report closes that lease.
 */

import type { Duplex } from 'node:stream'
import { type Feed, type FeedEvent, FeedFailed, ReportRefused } from './feed.ts'
import { type FeedCall, feedCalls, type Frame, readFrames, writeFrame } from './frames.ts'

export interface FeedClientOptions {
  /** Opens the stream to the server; called again whenever it was lost. */
  connect: () => Duplex | Promise<Duplex>
  /** A call without an answer for this long fails. Default 15 s. */
  callTimeoutMs?: number
  /** Waits between attempts to connect: doubling from the first to the last. Default 50 to 1000 ms. */
  retryMs?: { first: number; last: number }
  /** Called at every loss of the connection. */
  onLost?: (error: Error | null) => void
}

export interface FeedClient extends Feed {
  /** Whether a stream is open. */
  readonly connected: boolean
  /** Ends the connection; pending calls fail. */
  close(): void
}

interface PendingCall {
  call: FeedCall
  args: unknown[]
  resolve: (value: unknown) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** More pending calls mean that the server is away; further ones fail at once, which bounds the memory. */
const MOST_CALLS = 10_000

class FeedStream {
  #stream: Duplex | null = null
  #isClosed = false
  #lastId = 0
  #delayMs: number
  #retryTimer: NodeJS.Timeout | null = null
  readonly #calls = new Map<number, PendingCall>()
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

  subscribe(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#stream?.destroy()
    this.#stream = null
    for (const [id, { call }] of this.#calls)
      this.#take(id)?.reject(new Error(`the feed was closed: ${call}`))
  }

  call(call: FeedCall, args: unknown[]): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('the feed is closed'))
    if (this.#calls.size >= MOST_CALLS) return Promise.reject(new Error('the feed is overloaded'))
    const id = ++this.#lastId
    const timeoutMs = this.#options.callTimeoutMs ?? 15_000
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#take(id)?.reject(new Error(`the feed did not answer in ${timeoutMs} ms: ${call}`)),
        timeoutMs,
      )
      this.#calls.set(id, { call, args, resolve, reject, timer })
      if (this.#stream !== null) writeFrame(this.#stream, { id, call, args })
    })
  }

  #take(id: number): PendingCall | null {
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
    } catch (error) {
      this.#lost(error instanceof Error ? error : new Error(String(error)))
      return
    }
    if (this.#isClosed) {
      stream.destroy()
      return
    }
    if (stream.destroyed) {
      this.#lost(stream.errored)
      return
    }
    let failure: Error | null = null
    stream.on('error', (error) => (failure = error))
    stream.on('end', () => stream.destroy())
    stream.on('close', () => {
      if (this.#stream === stream) this.#lost(failure)
    })
    this.#stream = stream
    // A map keeps the order of the calls, so reports are sent again in their sequence.
    for (const [id, { call, args }] of this.#calls) writeFrame(stream, { id, call, args })
    // Events may have been missed.
    if (again) this.#emit({ type: 'reset' })
    readFrames(stream, (frame) => this.#receive(frame))
  }

  #lost(error: Error | null): void {
    this.#stream = null
    if (this.#isClosed) return
    this.#options.onLost?.(error)
    this.#retryTimer = setTimeout(() => void this.#connect(true), this.#delayMs)
    this.#delayMs = Math.min(this.#delayMs * 2, this.#retryMs.last)
  }

  #receive(frame: Frame): void {
    // The server answers, so the next loss begins with a short delay again.
    this.#delayMs = this.#retryMs.first
    if ('event' in frame) this.#emit(frame.event)
    else if ('ok' in frame) this.#take(frame.id)?.resolve(frame.ok)
    else if ('fault' in frame)
      this.#take(frame.id)?.reject(
        frame.refused ? new ReportRefused(frame.fault) : new FeedFailed(frame.fault),
      )
  }

  #emit(event: FeedEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** A Feed over a stream: connects again by itself, and repeats what was not answered. */
export function connectFeed(options: FeedClientOptions): FeedClient {
  const stream = new FeedStream(options)
  const calls = feedCalls.map((call) => [call, (...args: unknown[]) => stream.call(call, args)])
  return {
    // The frames of a call carry what the interface says: both ends are this program.
    ...(Object.fromEntries(calls) as Pick<Feed, FeedCall>),
    get connected() {
      return stream.connected
    },
    subscribe: (listener) => stream.subscribe(listener),
    close: () => stream.close(),
  }
}
