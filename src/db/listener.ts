import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isConnectionLost } from './admin.ts'
import { clientConfig } from './pool.ts'

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
const pingEveryMs = 5_000
const answerWithinMs = 5_000

/** One connection that listens on any number of channels and comes back by itself when it is lost. */
export class Listener {
  readonly #url: string
  readonly #subscriptions = new Set<Subscription>()
  #client: Promise<pg.Client> | undefined
  #isClosed = false

  constructor(url: string) {
    this.#url = url
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
    await this.#say(`unlisten ${pg.escapeIdentifier(channel)}`)
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

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...clientConfig(this.#url, 'turnpike listen'),
      query_timeout: answerWithinMs,
    })
    // The loss is heard as "end"; without a listener for "error" Node would take it for a crash.
    client.on('error', () => undefined)
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscription of this.#subscriptions)
        if (subscription.channel === channel) subscription.handler(payload)
    })
    try {
      await client.connect()
      for (const channel of new Set([...this.#subscriptions].map((subscription) => subscription.channel)))
        await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      await client.end()
      throw error
    }
    const ping = setInterval(() => {
      // Unanswered, the query is still active, and `end` then cuts the connection instead of saying goodbye.
      client.query('select').catch(() => client.end())
    }, pingEveryMs).unref()
    client.once('end', () => {
      clearInterval(ping)
      if (!this.#isClosed) this.#client = this.#reconnect()
    })
    return client
  }

  async #reconnect(): Promise<pg.Client> {
    for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
      await sleep(waitMs)
      try {
        const client = await this.#connect()
        for (const { onGap } of this.#subscriptions) onGap?.()
        return client
      } catch (error) {
        // Whatever keeps the database away, the next attempt is the cure; the queries of the day report it.
        if (this.#isClosed) throw error
      }
    }
  }
}
