/**
 * Reads by key that many callers make concurrently, as one statement for several of them. A statement costs
 * two system calls and two processes that wake each other, here and in PostgreSQL, which is more than what
 * reading a row by its key costs.
 */
import type { Kysely } from 'kysely'
import type { DB } from './schema.ts'

/** Reads the values of some keys, by key. A key without a value is left out. */
type ReadMany<Key, Value> = (db: Kysely<DB>, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

/** A statement that takes longer is not waited for: it may be late for a reason of its own. */
const patienceMs = 10

/** The limit of keys of one statement. */
const mostKeys = 200

/**
 * Makes a read of one key out of a read of many. While a statement is under way, later callers wait for it to
 * end, at most 10 ms; the next statement reads what all of them want. So a value was always read after it was
 * asked for: nothing is cached. In a transaction each read is a statement of that transaction.
 *
 * Keys are compared as those of a Map. The callers of one statement get the same values, which they must not
 * change, and all of them its failure.
 */
export function gathered<Key, Value>(
  readMany: ReadMany<Key, Value>,
): (db: Kysely<DB>, key: Key) => Promise<Value | undefined> {
  const gatherers = new WeakMap<Kysely<DB>, Gatherer<Key, Value>>()
  return async (db, key) => {
    if (db.isTransaction) return (await readMany(db, [key])).get(key)
    let gatherer = gatherers.get(db)
    if (gatherer === undefined) {
      gatherer = new Gatherer((keys) => readMany(db, keys))
      gatherers.set(db, gatherer)
    }
    return gatherer.read(key)
  }
}

class Gatherer<Key, Value> {
  readonly #readMany: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>
  #waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>()
  /** Statements under way for which later callers still wait. */
  #awaited = 0

  constructor(readMany: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#readMany = readMany
  }

  read(key: Key): Promise<Value | undefined> {
    const known = this.#waiting.get(key)
    if (known !== undefined) return known.promise
    const waiting = Promise.withResolvers<Value | undefined>()
    this.#waiting.set(key, waiting)
    if (this.#awaited === 0 || this.#waiting.size >= mostKeys) void this.#send()
    return waiting.promise
  }

  /** Sends one statement for all that wait. */
  async #send(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = new Map()
    this.#awaited++
    let isAwaited = true
    const release = () => {
      if (!isAwaited) return
      isAwaited = false
      this.#awaited--
      if (this.#waiting.size > 0 && this.#awaited === 0) void this.#send()
    }
    const timer = setTimeout(release, patienceMs)
    try {
      const values = await this.#readMany([...asked.keys()])
      for (const [key, { resolve }] of asked) resolve(values.get(key))
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    } finally {
      clearTimeout(timer)
      release()
    }
  }
}
