/** The questions of all lookups: each asked once, its answer remembered and told to all who wait for it. */

import { type Answer, type Family, NameCache, type NameRecord } from './name.cache.ts'
import { type Account, NameQueue, type Question, type Waiter } from './name.queue.ts'
import { MOST_QUESTIONS, NameServers, type NameServersOptions } from './name.servers.ts'

/** Questions that only the operator's own lookups may have under way. */
const ASKING_RESERVED = 16
/** Of one customer: 32 names, so a thousand a second from a server that takes 30 ms. */
const ASKING_PER_ACCOUNT = 64

/**
 * c-ares reads answers in this thread, at some 5 µs per record; one over TCP can have 4000. A customer who
 * owns such names could keep a worker busy with them. So a question with an answer of more records than any host needs
 * counts for its account so much longer that all its questions together cost one part in fifty of the thread's time.
 */
const FREE_RECORDS = 64
const HELD_MS_PER_RECORD = 0.005 * 50 * ASKING_PER_ACCOUNT

export interface QuestionsOptions extends NameServersOptions {
  /** Names that are remembered. */
  mostNames: number
  /** Questions of all accounts that may wait for their turn. */
  mostWaiting: number
  now: () => number
}

export class NameQuestions {
  readonly #servers: NameServers
  readonly #caches: Readonly<Record<Family, NameCache>>
  readonly #queue: NameQueue
  /** Those that wait for their turn or for their answer. */
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

  /** What is remembered: fresh, or old addresses for when the servers fail. */
  remembered(name: string, family: Family): NameRecord | null {
    return this.#caches[family].use(name)
  }

  /** One lookup more of the account; null when it has as many as it may. `lookupEnded` gives it back. */
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
   * The question that is open already, or a new one, which is asked after `dispatch` when it is the account's turn; null
   * when there is no room for it.
   */
  open(name: string, family: Family, id: bigint | null): Question | null {
    const known = this.#open[family].get(name)
    if (known !== undefined && known.queuedBy.length === 0) return known
    const question: Question = known ?? { name, family, waiters: new Set(), queuedBy: [] }
    if (!this.#queue.add(question, this.#queue.account(id))) return known ?? null
    this.#open[family].set(name, question)
    return question
  }

  /** Asks as many as may be. */
  dispatch(): void {
    for (let turn = this.#queue.next(); turn !== null; turn = this.#queue.next()) {
      const { question, account } = turn
      this.#servers.ask(question.name, question.family, (answer) => this.#answered(question, account, answer))
    }
  }

  /** Drops a question that nobody waits for any longer, unless it has been asked and is worth its answer. */
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
