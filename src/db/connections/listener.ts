import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode, isConnectionLost } from './errors.ts'
import { connect, type DatabaseClient } from './client.ts'
import type { Servers } from './servers.ts'

export interface ListenOptions {
  /**
   * Called after the connection was lost and LISTEN is in force again: what was notified in between is gone, so
   * caches fed by this channel must be dropped.
   */
  onGap?: () => void
}

interface Subscription extends ListenOptions {
  channel: string
  handler: (payload: string) => void
}

/** A connection can die without a word (a firewall, a pulled cable): asked this often, it has to answer in time. */
const usualPace = { pingEveryMs: 5_000, answerWithinMs: 5_000 }

/**
 * One connection that listens on any number of channels and comes back by itself when it is lost. It is the one that is
 * asked for a sign of life: when the server has fallen silent, all others are told.
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

  /** For how long, in all, there was no connection; it counts from the first `watch` or `listen`. */
  get awaySeconds(): number {
    const nowMs = this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
    return (this.#awayMs + nowMs) / 1000
  }

  /** Whether the connection is lost and not there again. */
  get isAway(): boolean {
    return this.#awaySince !== undefined
  }

  /** Keeps the connection although nothing is listened to. Resolves when it is there. */
  async watch(): Promise<void> {
    await this.#say('select')
  }

  /** Resolves when the channel is listened to; the answer is the function that ends it. */
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
    // While there is no connection nothing is listened to, and the next one will not begin to.
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
        // The end of the connection is announced just after its queries fail, and puts the next one in place.
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
   * `wasSilent`: the server did not answer any more. When no new connection can be made either, all the others are as dead
   * as this one was.
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
        // Whatever keeps the database away, the next attempt is the cure; the queries of the day report it.
        if (this.#isClosed) throw error
        if (wasSilent() || isSilence(error)) this.#servers.abandon('The database does not answer any more.')
      }
    }
  }
}

/** Nothing came back, not even a refusal. */
function isSilence(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return code === 'ETIMEDOUT' || code === 'EHOSTUNREACH'
  return error instanceof Error && error.message === 'timeout expired'
}
