import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode, isConnectionLost } from './errors.ts'
import { connect, type DatabaseClient } from './client.ts'
import type { Servers } from './servers.ts'

export interface ListenOptions {
  /**
   * Called when LISTEN is in force again after a lost connection: notifications sent in between are lost, so
   * caches that depend on this channel must be cleared.
   */
  onGap?: () => void
}

interface Subscription extends ListenOptions {
  channel: string
  handler: (payload: string) => void
}

/**
 * A connection can die silently (a firewall, an unplugged cable), so the server is pinged and has to answer
 * in time.
 */
const usualPace = { pingEveryMs: 5_000, answerWithinMs: 5_000 }

/**
 * One connection that listens on any number of channels and reconnects by itself. It also pings the server:
 * when the server stops answering, all other connections are closed.
 */
export class Listener {
  readonly #servers: Servers
  readonly #pace: typeof usualPace
  readonly #subscriptions = new Set<Subscription>()
  #client: Promise<DatabaseClient> | undefined
  #isClosed = false
  #awayMs = 0
  #awaySince: number | undefined

  constructor(servers: Servers, pace = usualPace) {
    this.#servers = servers
    this.#pace = pace
  }

  /** The total time without a connection, counted from the first `watch` or `listen`. */
  get awaySeconds(): number {
    const nowMs = this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
    return (this.#awayMs + nowMs) / 1000
  }

  /** Whether the connection is lost and not yet re-established. */
  get isAway(): boolean {
    return this.#awaySince !== undefined
  }

  /** Keeps the connection open even without subscriptions. Resolves when it is established. */
  async watch(): Promise<void> {
    await this.#say('select')
  }

  /** Resolves when LISTEN is in force, with the function that ends the subscription. */
  async listen(
    channel: string,
    handler: (payload: string) => void,
    options: ListenOptions = {},
  ): Promise<() => Promise<void>> {
    const subscription: Subscription = { channel, handler, ...options }
    this.#subscriptions.add(subscription)
    try {
      await this.#say(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      this.#subscriptions.delete(subscription)
      throw error
    }
    return () => this.#end(subscription)
  }

  /** Ends the connection and all subscriptions. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#subscriptions.clear()
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  async #end(subscription: Subscription): Promise<void> {
    const { channel } = subscription
    if (!this.#subscriptions.delete(subscription) || this.#isClosed) return
    if ([...this.#subscriptions].some((other) => other.channel === channel)) return
    // Without a connection there is no LISTEN to end, and the next connection will not issue it.
    if (this.isAway) return
    const client = await this.#client
    await client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error
    })
  }

  async #say(text: string): Promise<void> {
    for (;;) {
      this.#client ??= this.#connect()
      const client = await this.#client.catch((error: unknown) => {
        this.#client = undefined
        throw error
      })
      try {
        await client.query(text)
        return
      } catch (error) {
        if (!isConnectionLost(error) || this.#isClosed) throw error
        // The "end" event comes just after the queries fail; its handler starts the next connection.
        await sleep(20)
      }
    }
  }

  async #connect(): Promise<DatabaseClient> {
    const client = await connect({
      servers: this.#servers,
      applicationName: 'turnpike listen',
      answerWithinMs: this.#pace.answerWithinMs,
    })
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscription of this.#subscriptions)
        if (subscription.channel === channel) subscription.handler(payload)
    })
    try {
      for (const channel of new Set([...this.#subscriptions].map((subscription) => subscription.channel)))
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await client.end()
      throw error
    }
    this.#keep(client)
    return client
  }

  #keep(client: DatabaseClient): void {
    let isSilent = false
    const ping = setInterval(() => {
      client.query('select').catch((error: unknown) => {
        isSilent ||= isSilence(error)
        return client.end()
      })
    }, this.#pace.pingEveryMs).unref()
    client.once('end', () => {
      clearInterval(ping)
      if (this.#isClosed) return
      this.#awaySince ??= performance.now()
      this.#client = this.#reconnect(() => isSilent)
    })
  }

  /**
   * `wasSilent` tells whether the server had stopped answering. If it had, and a new connection cannot be
   * made either, all other connections are closed.
   */
  async #reconnect(wasSilent: () => boolean): Promise<DatabaseClient> {
    for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
      await sleep(waitMs)
      try {
        const client = await this.#connect()
        this.#awayMs += performance.now() - (this.#awaySince ?? performance.now())
        this.#awaySince = undefined
        for (const { onGap } of this.#subscriptions) onGap?.()
        return client
      } catch (error) {
        // Attempts go on after any error; ordinary queries report the outage.
        if (this.#isClosed) throw error
        if (wasSilent() || isSilence(error)) this.#servers.abandon('The database does not answer any more.')
      }
    }
  }
}

/** Whether a connection attempt got no response at all, not even a refusal. */
function isSilence(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return code === 'ETIMEDOUT' || code === 'EHOSTUNREACH'
  return error instanceof Error && error.message === 'timeout expired'
}
