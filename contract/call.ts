/**
 * The declaration of a call, all of it in one place: who may make it, what it costs, and what it needs.
 * Bundled for the browser; a call's schemas, refusals and documentation are beside it, in `schemas.ts`,
 * `refusals.ts` and `docs.ts`.
 */

import type { Members } from './acting/roles.ts'

/** Queues of heavy work; `src/http/admission/queues.ts` has their sizes. */
export type Queue = 'passwords' | 'lines' | 'places' | 'statistics' | 'lists'

/**
 * `reads`: it changes nothing, neither what is stored nor what is counted of a customer; staff who see the
 * shop as a customer make only such calls. `changes once`: it moves money or traffic, and is executed once
 * per Idempotency-Key, at the desk per `key` of its input.
 */
export type Effect = 'reads' | 'changes' | 'changes once'

/**
 * How a call with an Idempotency-Key is executed once although the process may die before it has stored its
 * answer. `in a transaction`: what the handler writes is committed together with the answer. `by operation`:
 * what the handler makes carries `operation` of its context, by which a repetition finds it. `until it
 * answers`: a repetition does the work again.
 */
export type Once = 'in a transaction' | 'by operation' | 'until it answers'

/**
 * Whether the owner must have been proved by the session in the last ten minutes; else `proof_needed`. `for
 * some inputs`: the handler asks.
 */
export type Proof = 'none' | 'always' | 'with a second factor' | 'for some inputs'

/**
 * Whether an owner with an address gets a letter about it. `sometimes`: it depends on more, such as whether
 * the device is known.
 */
export type Letter = 'never' | 'sometimes' | 'always'

/** The tokens that a call takes from the rate limit of an account. */
export interface Cost {
  tokens: number
  /**
   * One more token for so many rows. A field of the input has their number, or the rows themselves, and more
   * than `most` of them are refused. `or`: the field to use when that one is not sent.
   */
  rows?: { field: string; or?: string; perToken: number; most: number }
}

/** What every call declares, of the shop and of the desk. */
export interface Declaration {
  method: 'GET' | 'POST'
  /** Below `/api`. */
  path: string
  answer: 'json' | 'text' | 'blob'
  effect: Effect
}

/** A call of the shop. */
export interface Call extends Declaration {
  /** `either`: anyone; a customer, who sends a token or a session, is answered about themselves. */
  who: 'anyone' | 'customer' | 'either'
  /** Whether an API token may make it, from pages of other sites too. */
  token: boolean
  /** Which members of a team may make it on the team's account. */
  members: Members
  cost: Cost
  /** The queue in which the call waits; optionally only from a given number of rows. */
  queue: Queue | null | { name: Queue; fromRows: number }
  proof: Proof
  /** Whether the call is written to the security log. */
  logs: boolean
  letter: Letter
  /**
   * For calls that change something: how they are executed once per Idempotency-Key; null: they take no key,
   * because they prove the owner, or concern the session that makes them. Unset: see `onceOf`.
   */
  once?: 'until it answers' | null
}

/** How a call is executed once per Idempotency-Key; null: it takes no key. */
export function onceOf({ method, who, effect, once }: Call): Once | null {
  if (effect === 'reads' || method === 'GET' || who === 'anyone') return null
  if (once !== undefined) return once
  return effect === 'changes once' ? 'by operation' : 'in a transaction'
}

/** A function that checks declarations of a kind, and keeps their literal types. */
export const declaring =
  <Kind>() =>
  <const Given extends Kind>(given: Given & Record<Exclude<keyof Given, keyof Kind>, never>): Given =>
    given

/**
 * A function that makes kinds of declarations: a kind fixes what its calls share, and each call declares all
 * other fields.
 */
export const kindsOf =
  <Kind>() =>
  <const Fixed extends Partial<Kind>>(fixed: Fixed) =>
  <const Given extends Omit<Kind, keyof Fixed>>(
    given: Given & Record<Exclude<keyof Given, Exclude<keyof Kind, keyof Fixed>>, never>,
  ): Fixed & Given => ({ ...fixed, ...given })

/** Declares a call of the shop that fits none of the kinds below. */
export const call = declaring<Call>()

const kind = kindsOf<Call>()
const reads = {
  answer: 'json',
  effect: 'reads',
  queue: null,
  proof: 'none',
  logs: false,
  letter: 'never',
} as const

/** A call that reads, with its input in the address; it waits in no queue. */
export const read = kind({ method: 'GET', ...reads })

/** A call that reads, with its input in the body; it waits in no queue. */
export const readByPost = kind({ method: 'POST', ...reads })

/** A call that changes something of a customer; it waits in no queue. */
export const change = kind({
  method: 'POST',
  answer: 'json',
  who: 'customer',
  effect: 'changes',
  queue: null,
})

/** The number of rows that an input asks for; the handler checks whether it is allowed. `input` is parsed. */
export function rowsOf({ cost: { rows } }: Pick<Call, 'cost'>, input: unknown): number {
  if (rows === undefined) return 0
  const fields = input as Record<string, unknown>
  const given = fields[rows.field] ?? (rows.or === undefined ? undefined : fields[rows.or])
  const asked = Array.isArray(given) ? given.length : Number(given)
  return asked > 0 && asked <= rows.most ? asked : 0
}

/** The tokens that a call takes; `input` is parsed. */
export function tokensOf(declared: Pick<Call, 'cost'>, input: unknown): number {
  const { tokens, rows } = declared.cost
  return rows === undefined ? tokens : tokens + Math.floor(rowsOf(declared, input) / rows.perToken)
}

/** Rows of an answer that are free, and how many further rows cost a token; the same for all calls. */
const freeRows = 200
const rowsPerToken = 20

/** The tokens that the rows of an answer cost; their number is known only when the answer is ready. */
export const answerTokensOf = (rows: number): number =>
  Math.max(0, Math.ceil((rows - freeRows) / rowsPerToken))

/** The queue in which a call waits; null: none. `input` is parsed. */
export function queueOf(declared: Pick<Call, 'cost' | 'queue'>, input: unknown): Queue | null {
  const { queue } = declared
  if (queue === null || typeof queue === 'string') return queue
  return rowsOf(declared, input) >= queue.fromRows ? queue.name : null
}
