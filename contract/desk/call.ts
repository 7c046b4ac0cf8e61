/**
 * The declaration of a call of the operator's desk, all of it in one place. Its schemas are beside it, in
 * `schemas.ts`. The browser's bundle has of each declaration the fields that a client needs.
 */
import { type Declaration, declaring, kindsOf } from '../call.ts'
import type { Permission } from './roles.ts'

/**
 * What a caller needs. `anyone`: nothing. `begun`: a sign-in whose second factor may still be missing.
 * `member`: a complete sign-in. A permission: a member whose role grants it.
 */
export type Needs = 'anyone' | 'begun' | 'member' | Permission

/**
 * When the second factor must have been proved in the last 10 minutes. `by money a day`, `by traffic a day`:
 * once what the member has given away without it in 24 hours reaches a limit of the settings.
 */
type StepUp = 'never' | 'always' | 'by money a day' | 'by traffic a day'

/** What an entry of the audit trail is about. */
export const subjectKinds = [
  'staff',
  'alerts',
  'customer',
  'invoice',
  'payment_event',
  'exit',
  'prices',
  'promo_code',
  'banner',
  'gateway',
  'connections',
  'setting',
  'content',
  'inventory',
  'seller_account',
  'list',
  'referral',
  'rate',
  'report',
  'ledger',
  'key',
  'view',
  'incident',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** The queue of calls that read a whole period; `src/http/desk/periods.ts` has its sizes. */
type DeskQueue = 'periods'

/** A call of the desk; its path is its name. */
export interface DeskCall extends Omit<Declaration, 'path'> {
  answer: 'json' | 'blob'
  needs: Needs
  stepUp: StepUp
  /**
   * The subject of its entry in the audit trail, which is written together with the change; null: it is not
   * recorded. Calls that read are recorded only if they show something that needs a reason.
   */
  audit: SubjectKind | null
  /**
   * The fields of the answer that members without `customers.contacts` see masked. The type of each in the
   * schema (`contract/masks.ts`) says how it is masked.
   */
  masked: readonly string[]
  /** A list that is also served whole, as CSV and as a workbook: `/api/<name>.csv`, `/api/<name>.xlsx`. */
  file: boolean
  /**
   * The request's body and its maximum size; null: no body, the input is in the URL. `bytes`: the body is one
   * field of the input, the others are in the URL. More than 64 KiB is read only for members who may make the
   * call.
   */
  body: null | { type: 'json' | 'bytes'; mostKib: number }
  /** The queue in which the call waits before it takes a database connection; null: none. */
  queue: DeskQueue | null
}

/** Declares a call of the desk that fits none of the kinds below. */
export const deskCall = declaring<DeskCall>()

const kind = kindsOf<DeskCall>()
const json = { type: 'json', mostKib: 64 } as const

const reads = {
  method: 'GET',
  answer: 'json',
  stepUp: 'never',
  effect: 'reads',
  audit: null,
  body: null,
} as const

/** A call that reads, with its input in the URL, and is not recorded; it waits in no queue. */
export const read = kind({ ...reads, queue: null })

/** A call that reads all entries of a period, which may take minutes. */
export const readPeriod = kind({ ...reads, queue: 'periods' })

/** A call that changes nothing, but whose input is large or must not be in a URL. */
export const readByPost = kind({
  method: 'POST',
  answer: 'json',
  effect: 'reads',
  audit: null,
  masked: [],
  file: false,
  body: json,
  queue: null,
})

const acts = { method: 'POST', answer: 'json', masked: [], file: false, body: json, queue: null } as const

/** A call that changes something and is recorded in the audit trail. */
export const act = kind({ ...acts, effect: 'changes' })

/** A call that moves money or traffic: executed once per `key` of its input. */
export const actOnce = kind({ ...acts, effect: 'changes once' })
