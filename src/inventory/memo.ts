/**
 * A cache of lists. A long list costs several milliseconds of reading, sorting and writing, and most visitors request the
 * same few. A list is reused as long as no inventory has changed, which each request checks in the database first: all web
 * servers show a new inventory from the moment that it is committed.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

/** Of all lists together: some tens of megabytes with what they are sent as. */
const maxItems = 100_000
const maxLists = 1000
/** Questions about hundreds of places are rarely repeated. */
const longestQuestion = 2000

const memos = new WeakMap<Kysely<DB>, ListMemo>()

/** The one memo of a database; questions of different kinds begin differently. */
export function memoOf(db: Kysely<DB>): ListMemo {
  const memo = memos.get(db) ?? new ListMemo(db)
  memos.set(db, memo)
  return memo
}

export class ListMemo {
  readonly #db: Kysely<DB>
  #revision = ''
  /** By the question; those that were asked for last stand last. */
  readonly #lists = new Map<string, readonly unknown[]>()
  #items = 0

  constructor(db: Kysely<DB>) {
    this.#db = db
  }

  /** How many lists are kept. */
  get size(): number {
    return this.#lists.size
  }

  /** The answer to a question, read if it is not known. It is frozen: others are given the same. */
  async answer<T>(question: string, read: () => Promise<T[]>): Promise<T[]> {
    // Asked before reading: what is read then is of this revision or of a later one, never older than its name.
    const revision = await this.#currentRevision()
    if (revision !== this.#revision) this.#forgetAll(revision)
    const known = this.#lists.get(question)
    if (known !== undefined) {
      this.#lists.delete(question)
      this.#lists.set(question, known)
      return known as T[]
    }
    const list = Object.freeze(await read()) as T[]
    if (revision === this.#revision && question.length <= longestQuestion) this.#keep(question, list)
    return list
  }

  /**
   * A source is replaced by deleting and writing its row, and touched when its places are renamed: whatever changes a
   * list changes the transaction that wrote the row last.
   */
  async #currentRevision(): Promise<string> {
    const { rows } = await sql<{ revision: string }>`
      select coalesce(string_agg(name || ' ' || xmin::text || ' ' || loaded_at::text, ',' order by name), '') as revision
      from inventory_source`.execute(this.#db)
    return rows[0]?.revision ?? ''
  }

  #forgetAll(revision: string): void {
    this.#revision = revision
    this.#lists.clear()
    this.#items = 0
  }

  #keep(question: string, list: readonly unknown[]): void {
    if (list.length > maxItems || this.#lists.has(question)) return
    this.#lists.set(question, list)
    this.#items += list.length
    for (const [oldest, { length }] of this.#lists) {
      if (this.#items <= maxItems && this.#lists.size <= maxLists) return
      this.#lists.delete(oldest)
      this.#items -= length
    }
  }
}
