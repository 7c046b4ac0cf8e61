/**
 * The gateway's end of the feed, over streams that may be lost and reopened, to one server or to the first
 * usable one of several.
 *
 * A call that was under way when its stream was lost is sent again on the next one, whichever server that
 * leads to: every call is safe to repeat. A report settles once per number. A lease that is requested twice
 * is granted twice, but onto the same open lease: a grant that was not received returns to the balance when a
 * report closes that lease.
 */

import type { Duplex } from 'node:stream'
import { FeedConnection } from './connection.ts'
import { type Feed, type FeedEvent, FeedFailed, ReportRefused } from './feed.ts'
import { type FeedCall, feedCalls, type Frame } from './frames.ts'
import { LAST_PATIENCE_MS, ServerChoice } from './server.choice.ts'
import { unknownTeller } from './unknown.ts'

export interface FeedClientOptions {
  /**
   * Opens the stream to a server of the list, which has `patienceMs` to answer; called again after each loss.
   * A stream that is not needed any more is destroyed.
   */
  connect: (server: number, patienceMs: number) => Duplex | Promise<Duplex>
  /** The number of servers, the preferred first; all of them serve the same database. Default: 1. */
  servers?: number
  /** A call without an answer for this long fails. Default 15 s. */
  callTimeoutMs?: number
  /** Waits between attempts to connect: doubling from the first to the last. Default 50 to 1000 ms. */
  retryMs?: { first: number; last: number }
  /** How long a lost server is not used while another one serves. Default 15 s to 5 minutes. */
  restMs?: { first: number; last: number }
  /**
   * How long a preferred server must work without faults, after its rest, before the gateway returns to it.
   * Default 10 s.
   */
  provingMs?: number
  /** The interval of pings; a server that sends nothing for four intervals is lost. Default: no pings. */
  pingMs?: number
  /** Called at every loss of the connection, and at every failed attempt. */
  onLost?: (error: Error | null, server: number) => void
  /** Called when the serving server changes, also for the first one. */
  onServer?: (server: number) => void
  /**
   * Called with a description of data from a later release that is ignored, once for each kind and
   * connection.
   */
  onUnknown?: (what: string) => void
}

export interface FeedClient extends Feed {
  /** Whether a stream is open. */
  readonly connected: boolean
  /** The index of the serving server; null: none. */
  readonly server: number | null
  /** The number of changes from one server to another. */
  readonly switches: number
  /** Ends the connection; pending calls fail. */
  close(): void
}

interface PendingCall {
  call: FeedCall
  args: unknown[]
  resolve: (value: unknown) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
  sentAt: number
  /** The connection on which it was sent; null: it was not sent yet. */
  on: FeedConnection | null
}

/**
 * More pending calls mean that the server is unavailable; further ones fail at once, which bounds the memory.
 */
const MOST_CALLS = 10_000
const LOOK_MS = 250

class FeedStream {
  switches = 0
  #current: FeedConnection | null = null
  /** The connection to a server that is preferred to the present one, while it is being proven. */
  #candidate: FeedConnection | null = null
  #isTrying = false
  /** The server that served last. */
  #lastServer: number | null = null
  #isClosed = false
  #lastId = 0
  #retryTimer: NodeJS.Timeout | null = null
  #lookTimer: NodeJS.Timeout | null = null
  readonly #calls = new Map<number, PendingCall>()
  readonly #listeners = new Set<(event: FeedEvent) => void>()
  readonly #options: FeedClientOptions
  readonly #choice: ServerChoice
  readonly #servers: number

  constructor(options: FeedClientOptions) {
    this.#options = options
    this.#servers = options.servers ?? 1
    this.#choice = new ServerChoice({
      servers: this.#servers,
      retryMs: options.retryMs ?? { first: 50, last: 1000 },
      restMs: options.restMs ?? { first: 15_000, last: 300_000 },
    })
    if (this.#servers > 1) this.#lookTimer = setInterval(() => this.#lookForBetter(), LOOK_MS).unref()
    void this.#connect()
  }

  get server(): number | null {
    return this.#current?.server ?? null
  }

  subscribe(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    if (this.#lookTimer !== null) clearInterval(this.#lookTimer)
    const [current, candidate] = [this.#current, this.#candidate]
    this.#current = null
    this.#candidate = null
    for (const connection of [current, candidate]) connection?.close()
    for (const [id, { call, on }] of this.#calls) {
      on?.close()
      this.#take(id)?.reject(new Error(`the feed was closed: ${call}`))
    }
  }

  call(call: FeedCall, args: unknown[]): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('the feed is closed'))
    if (this.#calls.size >= MOST_CALLS) return Promise.reject(new Error('the feed is overloaded'))
    const id = ++this.#lastId
    const timeoutMs = this.#options.callTimeoutMs ?? 15_000
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#timedOut(id, timeoutMs), timeoutMs)
      this.#calls.set(id, {
        call,
        args,
        resolve,
        reject,
        timer,
        sentAt: performance.now(),
        on: this.#current,
      })
      this.#current?.send({ id, call, args })
    })
  }

  #take(id: number): PendingCall | null {
    const call = this.#calls.get(id)
    if (call === undefined) return null
    clearTimeout(call.timer)
    this.#calls.delete(id)
    return call
  }

  #timedOut(id: number, timeoutMs: number): void {
    const taken = this.#take(id)
    if (taken === null) return
    taken.reject(new Error(`the feed did not answer in ${timeoutMs} ms: ${taken.call}`))
    const { on, sentAt } = taken
    // The server may be connected and even answer pings: another server may also answer calls.
    if (on !== null && on === this.#current && this.#servers > 1)
      if (on.openedAt <= sentAt && on.answeredAt < sentAt) on.close(new Error('the server answers no calls'))
  }

  async #open(server: number, patienceMs: number): Promise<FeedConnection | Error | null> {
    let stream: Duplex
    try {
      stream = await this.#options.connect(server, patienceMs)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
    if (this.#isClosed) {
      stream.destroy()
      return null
    }
    if (stream.destroyed) return stream.errored ?? new Error('the server closed the connection')
    const tellUnknown = unknownTeller(this.#options.onUnknown)
    return new FeedConnection(stream, {
      server,
      pingMs: this.#options.pingMs ?? null,
      onFrame: (frame, from) => {
        tellUnknown(frame)
        this.#receive(frame, from)
      },
      onState: (from) => this.#stateChanged(from),
      onClosed: (from, error) => this.#closed(from, error),
    })
  }

  async #connect(): Promise<void> {
    const { server, waitMs, patienceMs } = this.#choice.next(performance.now())
    if (waitMs > 0) await new Promise<void>((over) => (this.#retryTimer = setTimeout(over, waitMs)))
    if (this.#isClosed) return
    const opened = await this.#open(server, patienceMs)
    if (this.#isClosed || opened === null) return
    if (opened instanceof FeedConnection) this.#use(opened, { isProven: false })
    else this.#lost(server, opened)
  }

  /**
   * Makes this the current connection, and sends all calls that were not sent yet. Calls on an older
   * connection that may still answer them stay there.
   */
  #use(connection: FeedConnection, { isProven }: { isProven: boolean }): void {
    const isFirst = this.#lastServer === null
    this.#current = connection
    const { server } = connection
    if (server !== this.#lastServer) {
      this.#lastServer = server
      if (!isFirst) this.switches++
      this.#options.onServer?.(server)
    }
    // A map keeps the order of the calls, so reports are sent again in their sequence.
    for (const [id, pending] of this.#calls) {
      if (pending.on !== null) continue
      pending.on = connection
      connection.send({ id, call: pending.call, args: pending.args })
    }
    if (this.#candidate !== null && this.#candidate.server >= server) {
      this.#candidate.close()
      this.#candidate = null
    }
    // Events may have been missed. A proven server has sent its events during the proof.
    if (!isFirst && !isProven) this.#emit({ type: 'reset' })
  }

  /** Marks the calls on this connection as not sent, so that they are sent again on another one. */
  #recall(connection: FeedConnection): void {
    for (const pending of this.#calls.values()) if (pending.on === connection) pending.on = null
  }

  #closed(connection: FeedConnection, error: Error | null): void {
    if (this.#isClosed) return
    this.#recall(connection)
    if (connection === this.#current) {
      this.#current = null
      this.#lost(connection.server, error)
    } else if (connection === this.#candidate) {
      this.#candidate = null
      this.#choice.lost(connection.server, performance.now())
    } else if (this.#current !== null) {
      // The replaced connection has ended: its unanswered calls are sent on the current one.
      this.#use(this.#current, { isProven: true })
    }
  }

  #lost(server: number, error: Error | null): void {
    this.#choice.lost(server, performance.now())
    this.#options.onLost?.(error, server)
    const candidate = this.#candidate
    if (candidate === null || candidate.fault !== null) {
      void this.#connect()
      return
    }
    this.#candidate = null
    this.#use(candidate, { isProven: false })
  }

  #stateChanged(connection: FeedConnection): void {
    if (connection.fault !== null) this.#leave(connection, connection.fault)
  }

  /** Leaves a server that cannot do its work at present, unless it is the only one. */
  #leave(connection: FeedConnection, fault: string): void {
    if (this.#servers > 1) connection.close(new Error(`the server cannot do its work: ${fault}`))
  }

  /**
   * Returns to a preferred server: opens a second stream to it, and uses it after it has worked without
   * faults for some time.
   */
  #lookForBetter(): void {
    const [current, candidate] = [this.#current, this.#candidate]
    if (current === null || current.server === 0 || this.#isTrying) return
    const now = performance.now()
    if (candidate === null) {
      const better = this.#choice.better(current.server, now)
      if (better !== null) void this.#try(better)
    } else if (now - candidate.openedAt >= (this.#options.provingMs ?? 10_000)) {
      this.#candidate = null
      this.#choice.left(current.server)
      this.#use(candidate, { isProven: true })
      this.#closeWhenAnswered(current)
    }
  }

  async #try(server: number): Promise<void> {
    this.#isTrying = true
    const opened = await this.#open(server, LAST_PATIENCE_MS)
    this.#isTrying = false
    if (this.#isClosed || opened === null) return
    if (!(opened instanceof FeedConnection)) this.#choice.lost(server, performance.now())
    else if (this.#current === null || this.#current.server > server) this.#candidate = opened
    else opened.close()
  }

  /** Closes a replaced connection once its calls are answered, or after a time limit. */
  #closeWhenAnswered(connection: FeedConnection): void {
    const isAsked = [...this.#calls.values()].some(({ on }) => on === connection)
    if (!isAsked) connection.close()
    else setTimeout(() => connection.close(), LEAVE_MS).unref()
  }

  #receive(frame: Frame, from: FeedConnection): void {
    if ('event' in frame) {
      if (from === this.#current || from === this.#candidate) this.#emit(frame.event)
    } else if ('ok' in frame) {
      this.#answered(from)
      this.#take(frame.id)?.resolve(frame.ok)
    } else if ('fault' in frame) {
      if (frame.away === true && this.#servers > 1) return this.#leave(from, frame.fault)
      this.#answered(from)
      this.#take(frame.id)?.reject(
        frame.refused ? new ReportRefused(frame.fault) : new FeedFailed(frame.fault),
      )
    }
  }

  /** The server answers, so the next loss begins with a short delay again. */
  #answered(from: FeedConnection): void {
    from.answeredAt = performance.now()
    if (from === this.#current) this.#choice.serves(from.server, from.answeredAt)
  }

  #emit(event: FeedEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

/** The time for which a replaced connection may still answer its calls. */
const LEAVE_MS = 2_000

/** A Feed over streams, which reconnects and repeats unanswered calls. */
export function connectFeed(options: FeedClientOptions): FeedClient {
  const stream = new FeedStream(options)
  const calls = feedCalls.map((call) => [call, (...args: unknown[]) => stream.call(call, args)])
  return {
    // The frames of a call carry what the interface says: both ends are this program.
    ...(Object.fromEntries(calls) as Pick<Feed, FeedCall>),
    get connected() {
      return stream.server !== null
    },
    get server() {
      return stream.server
    },
    get switches() {
      return stream.switches
    },
    subscribe: (listener) => stream.subscribe(listener),
    close: () => stream.close(),
  }
}
