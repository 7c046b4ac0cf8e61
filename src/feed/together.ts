/**
 * Combines questions about proxy users into few calls. A reseller's gateway that has just started asks about
 * ten thousand of them at once: each alone would be a frame, a transaction and a lock of the same meter.
 * While answers are awaited, further questions are collected; a single question does not wait.
 */
import type { Feed, FeedAccount, LeaseGrant, LeaseRequest } from './feed.ts'
import { type FeedCall, feedCalls } from './frames.ts'
import { isProxyUserId, isProxyUserLogin, payerOf } from './user.ids.ts'

const MOST_IN_CALL = 250
/** Calls of one kind, or for one access, that are under way at a time. */
const MOST_CALLS = 2
/** The most questions that wait; more mean that the server is unavailable. */
const MOST_WAITING = 100_000

interface Waiting<Question, Answer> {
  question: Question
  resolve: (answer: Answer) => void
  reject: (fault: unknown) => void
}

/** Collects questions of one kind into calls. */
class Together<Question, Answer> {
  readonly #call: (questions: Question[]) => Promise<Answer[]>
  readonly #waiting: Waiting<Question, Answer>[] = []
  #calls = 0
  #isScheduled = false

  constructor(call: (questions: Question[]) => Promise<Answer[]>) {
    this.#call = call
  }

  get isIdle(): boolean {
    return this.#calls === 0 && this.#waiting.length === 0
  }

  ask(question: Question): Promise<Answer> {
    if (this.#waiting.length >= MOST_WAITING) return Promise.reject(new Error('the feed is overloaded'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // Questions of the same turn of the event loop belong in one call.
      setImmediate(() => {
        this.#isScheduled = false
        this.#send()
      })
    })
  }

  #send(): void {
    while (this.#calls < MOST_CALLS && this.#waiting.length > 0)
      void this.#answer(this.#waiting.splice(0, MOST_IN_CALL))
  }

  async #answer(asked: Waiting<Question, Answer>[]): Promise<void> {
    this.#calls++
    try {
      const answers = await this.#call(asked.map(({ question }) => question))
      if (answers.length !== asked.length) throw new Error('the feed answered other questions')
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer)
    } catch (fault) {
      for (const one of asked) one.reject(fault)
    }
    this.#calls--
    this.#send()
  }
}

/**
 * The feed, with `account` and `lease` of proxy users combined into few calls; one call of `lease` is about
 * one access.
 */
export function askTogether(feed: Feed): Feed {
  const accounts = new Together<{ login: string; pool: string }, FeedAccount | null>((keys) =>
    feed.users(keys),
  )
  const leases = new Map<string, Together<LeaseRequest, LeaseGrant>>()
  const others = feedCalls.map((call) => [
    call,
    (...args: unknown[]) => (feed[call] as (...args: unknown[]) => Promise<unknown>).apply(feed, args),
  ])
  return {
    // The calls are copied one by one, because a feed may be an instance of a class.
    ...(Object.fromEntries(others) as Pick<Feed, FeedCall>),
    subscribe: (listener) => feed.subscribe(listener),
    account: (key) => (isProxyUserLogin(key.login) ? accounts.ask(key) : feed.account(key)),
    async lease(gateway, request) {
      if (!isProxyUserId(request.access)) return feed.lease(gateway, request)
      const name = `${payerOf(request.access)} ${gateway.gateway} ${gateway.boot}`
      const ofAccess =
        leases.get(name) ??
        new Together<LeaseRequest, LeaseGrant>((requests) => feed.leasesOfUsers(gateway, requests))
      leases.set(name, ofAccess)
      try {
        return await ofAccess.ask(request)
      } finally {
        if (ofAccess.isIdle) leases.delete(name)
      }
    },
  }
}
