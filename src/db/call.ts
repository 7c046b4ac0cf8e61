/**
 * Types of the handlers of calls. Handlers are plain functions, independent of the HTTP server: they receive
 * the parsed input and the context of the request, and return the output or throw a `Refusal`.
 */
import type { JsonName, JsonOutput, Name, Output, Parsed } from '#contract/contract'
import type { TeamRole } from '#contract/acting/roles'
import type { Database } from '#db'

/** The person who acts on the account of a team. */
export interface TeamMember {
  /** Their own account. */
  id: bigint
  role: TeamRole
  /** The account of the team is blocked or erased. */
  isClosed: boolean
}

/** The signed-in account behind a request. */
export interface Caller {
  id: bigint
  lang: 'rus' | 'eng'
  /** SHA-256 of the bearer token, by which a call identifies its own session. */
  tokenSha256: Buffer
  /** When the session's owner was last proved, at the time of authentication; unset or null: never. */
  provedAt?: Date | null | undefined
  /** The remaining rate allowance, when the call was made with an API token; unset for a session. */
  reseller?: Pace
  /**
   * Set when a member of staff views the account: nothing may be changed, and no secret is shown. Unset for
   * customers.
   */
  view?: bigint
  /** Set when a member of its team acts on the account; unset for the account itself. */
  member?: TeamMember
}

/** The account of the person behind a call: of the member, where one acts on the account of a team. */
export const personBehind = ({ id, member }: Caller): bigint => member?.id ?? id

/** The state of a caller's rate limit, as the `x-ratelimit-…` headers report it. */
export interface Pace {
  /** How many times the usual limits of calls and of their cost are agreed with the customer. */
  times: number
  /** The largest burst of calls. */
  limit: number
  /** The time in which so many calls are allowed again. */
  windowSeconds: number
  /** Calls allowed at this moment. */
  remaining: number
  /** Seconds until `remaining` is `limit` again. */
  resetSeconds: number
  /** Seconds to wait when this call exceeded the limit; null when it did not. */
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
   * Set when the caller sent an Idempotency-Key: an id that is the same for every repetition of the call.
   * Rows that the call creates are stored with this id, so that a repetition finds them when the first
   * response was lost.
   */
  operation?: string
  /** The client's address: of the connection, or from the headers of a trusted proxy. */
  ip: string
  /** The country of that address, an ISO 3166-1 code, when a trusted proxy gives it. */
  country: string | null
  /** The client's User-Agent, at most 300 characters; null: it sent none. */
  userAgent: string | null
  /** The browser behind the request; null: the call did not come over HTTP. */
  browser: Browser | null
  /** Whether a page of another site made the call, possibly without the knowledge of the browser's user. */
  isOtherSite: boolean
  setHeader: (name: string, value: string) => void
}

/** The tokens by which the server recognizes a browser. */
export interface Browser {
  /** The secrets of devices in its cookie, of any account. */
  devices: readonly string[]
  /** The Set-Cookie field that adds one. */
  cookieWith: (secret: string) => string
}

/** Text with more characters is sent as bytes: a string of this length costs more memory and time. */
export const longText = 16_384

/** What a handler returns: the output of its call, or long lines as bytes in UTF-8. */
export type Answered<N extends Name> = N extends 'get_proxy' ? string | Buffer : Output<N>

export type Handler<N extends Name> = (input: Parsed<N>, context: Context) => Promise<Answered<N>>
/** A handler that answers text of any length as a string, as callers within this process expect. */
export type TextHandler<N extends Name> = (input: Parsed<N>, context: Context) => Promise<Output<N>>

export type Handlers = { [N in Name]: Handler<N> }

/** Make the JSON answers of text calls from their text and its headers, also for a repeated call. */
export type JsonAnswers = {
  [N in JsonName]: (text: string, context: Context, headers: Record<string, string>) => Promise<JsonOutput<N>>
}

/** The handlers of the calls that a slice declares: `satisfies HandlersOf<typeof ratesWire>`. */
export type HandlersOf<Calls> = Pick<Handlers, keyof Calls & Name>

/** The caller of a call that only customers may make; `http` has already refused all others. */
export function callerOf(context: Context): Caller {
  if (context.account === null) throw new Error('a customer call was reached without an account')
  return context.account
}
