/**
 * Whether the database accepts writes, checked every second, for gateways that could use another server
 * meanwhile. Open connections are not enough: the server may not answer, and a demoted server answers and
 * refuses writes.
 */
import { sql } from 'kysely'
import type { Database } from '#db'
import type { FeedState } from '#feed/server'
import { withTimeout } from '#lib/timeout'

const usualPace = { everyMs: 1_000, answerWithinMs: 2_500 }

export class DatabaseState implements FeedState {
  readonly #database: Pick<Database, 'db'>
  readonly #pace: typeof usualPace
  readonly #listeners = new Set<() => void>()
  #fault: string | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(database: Pick<Database, 'db'>, pace = usualPace) {
    this.#database = database
    this.#pace = pace
    this.#lookLater()
  }

  get fault(): string | null {
    return this.#fault
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#listeners.clear()
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#pace.everyMs).unref()
  }

  async #look(): Promise<void> {
    const asked = sql<{ off: boolean }>`select current_setting('transaction_read_only')::boolean as off`
    // The reason is in the log of this process.
    const away = () => 'its database is away'
    const answered = asked
      .execute(this.#database.db)
      .then(({ rows }) => (rows[0]?.off === true ? 'its database takes no writes' : null), away)
    const found = await withTimeout(answered, this.#pace.answerWithinMs, away)
    if (this.#isClosed) return
    this.#lookLater()
    if (found === this.#fault) return
    this.#fault = found
    for (const listener of this.#listeners) listener()
  }
}
