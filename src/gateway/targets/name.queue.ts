/**
 * Which question is put to the name servers next, of those of many accounts. Accounts take turns. An account that has
 * as many questions out as there is room for besides has to wait (dynamic thresholds, Choudhury and Hahne 1998): n
 * accounts that want all leave one part in n + 1, so there is room for one that has none. The same rule bounds what
 * waits. The operator's own lookups (account null) go first, and some room is theirs alone.
 */

import type { Family, NameRecord } from './name.cache.ts'

/** Which addresses a name has of one family, for all lookups that wait for it. */
export interface Question {
  readonly name: string
  readonly family: Family
  readonly waiters: Set<Waiter>
  /** The accounts in whose turn it may be asked; empty once it has been. */
  readonly queuedBy: Account[]
}

export interface Waiter {
  answered(family: Family, record: NameRecord): void
}

export interface Account {
  readonly id: bigint | null
  /** In the order in which they came. */
  readonly questions: Question[]
  /** Questions that were asked in its turn and not released yet, whether or not anybody waits for them still. */
  asking: number
  /** Lookups that have not ended yet. */
  lookups: number
}

export interface QueueOptions {
  /** Questions that may be with the name servers at once. */
  asking: number
  /** Of these, such as customers may not take. */
  askingReserved: number
  /** Of one customer. */
  askingPerAccount: number
  /** Questions of customers that may wait. */
  waiting: number
}

export class NameQueue {
  readonly #options: QueueOptions
  readonly #accounts = new Map<bigint | null, Account>()
  /** Customers with questions that wait; the next turn is that of the first. */
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

  /** Has the question asked in the account's turn, or in that of another which waits for it; false: no room. */
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

  /** Nobody waits for the question any longer, or it is being asked. */
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

  /** The question to ask now and the account whose turn it is; null when none may be. */
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

  /** A question has its answer. */
  answered(): void {
    this.#asking--
  }

  /** An answered question of this account's turn counts no longer. */
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
    // Its next turn comes after those of all others.
    if (account !== undefined) this.#turns.push(account)
    return account
  }
}
