/**
 * What a handler of a call gets and gives. Handlers are plain functions and know nothing of the HTTP server:
 * they get the parsed input and these facts of the request, and return the output or throw a `Refusal`.
 */
import type { Name, Output, Parsed } from '#contract/contract'
import type { Database } from '#db'

/** The signed-in account behind a request. */
export interface Caller {
  id: bigint
  lang: 'rus' | 'eng'
  /** SHA-256 of the bearer token, so that a call can spare or end its own session. */
  tokenSha256: Buffer
  /** Set when a reseller's program calls in the account's name, not a person: what is left of its allowance. */
  reseller?: Pace
}

/** How far a caller is from being asked to slow down: the numbers of the `x-ratelimit-…` headers. */
export interface Pace {
  /** Calls that may come at once after a rest. */
  limit: number
  /** Calls that may come at once now. */
  remaining: number
  /** Seconds until `remaining` is `limit` again. */
  resetSeconds: number
  /** Set when this call was one too many: seconds to wait. */
  retryAfterSeconds: number | null
}

export interface Context {
  database: Database
  account: Caller | null
  /** The language to answer in. */
  language: 'ru' | 'en'
  now: () => Date
  requestId: string
  /**
   * Set when the caller gave an Idempotency-Key: the same for every repeat of the call. What the call makes is made under
   * this id, so that a repeat whose first answer was lost finds it.
   */
  operation?: string
  /** The client's address, as far as it can be believed. */
  ip: string
  /** The page of another site made the call: whose browser it was need not be the caller's. */
  isOtherSite: boolean
  setHeader: (name: string, value: string) => void
}

export type Handler<N extends Name> = (input: Parsed<N>, context: Context) => Promise<Output<N>>
export type Handlers = { [N in Name]: Handler<N> }

/** The caller of a call that only customers may make; `http` has refused everybody else before. */
export function callerOf(context: Context): Caller {
  if (context.account === null) throw new Error('a customer call was reached without an account')
  return context.account
}
