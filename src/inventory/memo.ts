/**
 * A cache of lists. Reading, sorting and serialising a long list takes several milliseconds, and most
 * visitors request the same few. A list is reused as long as no inventory has changed, which each request
 * checks in the database first: all web servers show a new inventory as soon as it is committed.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, gathered } from '#db'

/** The bound of all lists together: some tens of megabytes including their serialised forms. */
const maxItems = 100_000
const maxLists = 1000
/** Questions about hundreds of places are rarely repeated. */
const longestQuestion = 2000

/**
 * A source is replaced by deleting and inserting its row, and its row is updated when its places are renamed:
 * every change of a list changes the transaction that wrote the row last.
 */
const readRevision = gathered<null, string>(async (db) => {
  const { rows } = await sql<{ revision: string }>`
    select coalesce(string_agg(name || ' ' || xmin::text || ' ' || loaded_at::text, ',' order by name), '') as revision
    from inventory_source`.execute(db)
  return new Map([[null, rows[0]?.revision ?? '']])
})

const memos = new WeakMap<Kysely<DB>, ListMemo>()

/** The memo of a database; questions of different kinds begin differently. */
export function memoOf(db: Kysely<DB>): ListMemo {
  const memo = memos.get(db) ?? new ListMemo(db)
  memos.set(db, memo)
  return memo
}

export class ListMemo {
  readonly #db: Kysely<DB>
  #revision = ''
  /** By the question; the most recently requested are last. */
  readonly #lists = new Map<string, readonly unknown[]>()
  #items = 0

  constructor(db: Kysely<DB>) {
    this.#db = db
  }

  /** The number of lists kept. */
  get size(): number {
    return this.#lists.size
  }

  /**
   * The answer to a question, read when it is not cached. It is frozen, since all callers get the same
   * object.
   */
  async answer<T>(question: string, read: () => Promise<T[]>): Promise<T[]> {
    // The revision is read before the list: the list is of this revision or a later one, never older than its
    // key.
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

  async #currentRevision(): Promise<string> {
    return (await readRevision(this.#db, null)) ?? ''
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
