/**
 * Questions of all lookups: each is sent once, and its answer is cached and passed to every waiting lookup.
 */

import { type Answer, type Family, NameCache, type NameRecord } from './name.cache.ts'
import { type Account, NameQueue, type Question, type Waiter } from './name.queue.ts'
import { MOST_QUESTIONS, NameServers, type NameServersOptions } from './name.servers.ts'

/** Places that are reserved for the operator's own lookups. */
const ASKING_RESERVED = 16
/** 32 concurrent names of one customer: a thousand per second with a server that takes 30 ms. */
const ASKING_PER_ACCOUNT = 64

/**
 * c-ares parses answers in this thread, at some 5 µs per record, and an answer over TCP can have 4000
 * records. A customer with such names could occupy the worker. Therefore a question whose answer has more
 * records than any usual host keeps counting for its account: all questions of the account together then cost
 * at most a fiftieth of the thread's time.
 */
const FREE_RECORDS = 64
const HELD_MS_PER_RECORD = 0.005 * 50 * ASKING_PER_ACCOUNT

export interface QuestionsOptions extends NameServersOptions {
  /** Names in the cache. */
  mostNames: number
  /** The maximum number of waiting questions of customers. */
  mostWaiting: number
  now: () => number
}

export class NameQuestions {
  readonly #servers: NameServers
  readonly #caches: Readonly<Record<Family, NameCache>>
  readonly #queue: NameQueue
  /** Waiting and sent questions by name. */
  readonly #open: Readonly<Record<Family, Map<string, Question>>> = { 4: new Map(), 6: new Map() }
  #isClosed = false

  constructor(options: QuestionsOptions) {
    const { mostNames: entries, mostWaiting: waiting, now } = options
    this.#servers = new NameServers(options)
    this.#caches = {
      4: new NameCache({ family: 4, entries, now }),
      6: new NameCache({ family: 6, entries, now }),
    }
    this.#queue = new NameQueue({
      asking: MOST_QUESTIONS,
      askingReserved: ASKING_RESERVED,
      askingPerAccount: ASKING_PER_ACCOUNT,
      waiting,
    })
  }

  get figures(): { outstanding: number; queued: number; entries: number } {
    const { asking: outstanding, queued } = this.#queue
    return { outstanding, queued, entries: this.#caches[4].size + this.#caches[6].size }
  }

  /** The cached record: fresh, or addresses past their time to live. */
  remembered(name: string, family: Family): NameRecord | null {
    return this.#caches[family].use(name)
  }

  /** Counts one more lookup of the account until `lookupEnded`; null when it has `most` already. */
  lookupBegins(id: bigint | null, most: number): Account | null {
    const account = this.#queue.account(id)
    if (id !== null && account.lookups >= most) return null
    account.lookups++
    return account
  }

  lookupEnded(account: Account): void {
    this.#queue.lookupEnded(account)
  }

  /**
   * The open question for these addresses, or a new one that `dispatch` sends in its turn; null when there is
   * no room.
   */
  open(name: string, family: Family, id: bigint | null): Question | null {
    const known = this.#open[family].get(name)
    if (known !== undefined && known.queuedBy.length === 0) return known
    const question: Question = known ?? { name, family, waiters: new Set(), queuedBy: [] }
    if (!this.#queue.add(question, this.#queue.account(id))) return known ?? null
    this.#open[family].set(name, question)
    return question
  }

  /** Sends the waiting questions, as far as the limits of the queue permit. */
  dispatch(): void {
    for (let turn = this.#queue.next(); turn !== null; turn = this.#queue.next()) {
      const { question, account } = turn
      this.#servers.ask(question.name, question.family, (answer) => this.#answered(question, account, answer))
    }
  }

  /** Drops a waiting question without lookups; one that was sent continues, for the cache. */
  leave(question: Question, waiter: Waiter): void {
    question.waiters.delete(waiter)
    if (question.waiters.size > 0 || question.queuedBy.length === 0) return
    this.#queue.remove(question)
    this.#open[question.family].delete(question.name)
  }

  close(): void {
    this.#isClosed = true
    this.#servers.cancel()
  }

  #answered({ name, family, waiters }: Question, account: Account, answer: Answer): void {
    if (this.#isClosed) return
    this.#open[family].delete(name)
    const record = this.#caches[family].store(name, answer)
    for (const waiter of waiters) waiter.answered(family, record)

    this.#queue.answered()
    const records = answer.outcome === 'addresses' ? answer.records : 0
    const release = () => {
      this.#queue.release(account)
      this.dispatch()
    }
    if (records <= FREE_RECORDS) {
      release()
      return
    }
    setTimeout(release, records * HELD_MS_PER_RECORD).unref()
    this.dispatch()
  }
}
