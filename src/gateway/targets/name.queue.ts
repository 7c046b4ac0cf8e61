/**
 * The order in which questions are sent: round robin over accounts. The free capacity also limits each
 * account (dynamic thresholds, Choudhury and Hahne 1998): an account may have no more questions sent than
 * there are free places, so n accounts with unlimited demand leave a share of 1 / (n + 1) free for an account
 * without any. The same rule limits the questions that wait. The operator's own lookups (account null)
 * precede those of customers and have reserved places.
 */

import type { Family, NameRecord } from './name.cache.ts'

/** One name and record type; shared by all lookups that need the answer. */
export interface Question {
  readonly name: string
  readonly family: Family
  readonly waiters: Set<Waiter>
  /** The accounts in whose queue it stands; empty once it is sent. */
  readonly queuedBy: Account[]
}

export interface Waiter {
  answered(family: Family, record: NameRecord): void
}

export interface Account {
  readonly id: bigint | null
  /** Its queue, oldest first. */
  readonly questions: Question[]
  /** Questions sent in its turn and not released, including those whose lookups were aborted. */
  asking: number
  /** Lookups in progress. */
  lookups: number
}

export interface QueueOptions {
  /** The most questions that are sent and unanswered. */
  asking: number
  /** The part of them that is reserved for the operator. */
  askingReserved: number
  /** The most of one customer. */
  askingPerAccount: number
  /** The most questions of customers that wait. */
  waiting: number
}

export class NameQueue {
  readonly #options: QueueOptions
  readonly #accounts = new Map<bigint | null, Account>()
  /** Customers with waiting questions, in the order of their turns. */
  readonly #turns: Account[] = []
  #asking = 0
  #queued = 0

  constructor(options: QueueOptions) {
    this.#options = options
  }

  get asking(): number {
    return this.#asking
  }

  get queued(): number {
    return this.#queued
  }

  account(id: bigint | null): Account {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      account = { id, questions: [], asking: 0, lookups: 0 }
      this.#accounts.set(id, account)
    }
    return account
  }

  /**
   * Adds the question to the account's queue, besides other queues in which it stands; false when there is no
   * room.
   */
  add(question: Question, account: Account): boolean {
    if (question.queuedBy.includes(account)) return true
    const isNew = question.queuedBy.length === 0
    if (account.id !== null) {
      if (account.questions.length >= this.#options.waiting - this.#queued) {
        this.#forgetIdle(account)
        return false
      }
      if (account.questions.length === 0) this.#turns.push(account)
    }
    account.questions.push(question)
    question.queuedBy.push(account)
    if (isNew) this.#queued++
    return true
  }

  /** Takes the question out of all queues. */
  remove(question: Question): void {
    if (question.queuedBy.length > 0) this.#queued--
    for (const account of question.queuedBy.splice(0)) {
      account.questions.splice(account.questions.indexOf(question), 1)
      if (account.questions.length > 0) continue
      const turn = this.#turns.indexOf(account)
      if (turn >= 0) this.#turns.splice(turn, 1)
      this.#forgetIdle(account)
    }
  }

  /** The question to send now and the account whose turn it is; null when none may be sent. */
  next(): { question: Question; account: Account } | null {
    const free = this.#options.asking - this.#asking
    const account = this.#ofOperator(free) ?? this.#ofCustomers(free - this.#options.askingReserved)
    const question = account?.questions[0]
    if (account === undefined || question === undefined) return null
    account.asking++
    this.#asking++
    this.remove(question)
    return { question, account }
  }

  /** An answer has arrived: one place is free again. */
  answered(): void {
    this.#asking--
  }

  /** An answered question stops counting for the account in whose turn it was sent. */
  release(account: Account): void {
    account.asking--
    this.#forgetIdle(account)
  }

  lookupEnded(account: Account): void {
    account.lookups--
    this.#forgetIdle(account)
  }

  #forgetIdle(account: Account): void {
    if (account.lookups === 0 && account.asking === 0 && account.questions.length === 0)
      this.#accounts.delete(account.id)
  }

  #ofOperator(free: number): Account | undefined {
    const operator = this.#accounts.get(null)
    return free > 0 && (operator?.questions.length ?? 0) > 0 ? operator : undefined
  }

  #ofCustomers(free: number): Account | undefined {
    const most = Math.min(free, this.#options.askingPerAccount)
    const index = this.#turns.findIndex(({ asking }) => asking < most)
    const [account] = index < 0 ? [] : this.#turns.splice(index, 1)
    if (account !== undefined) this.#turns.push(account)
    return account
  }
}
