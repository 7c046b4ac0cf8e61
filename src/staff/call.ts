/**
 * What a handler of the desk's calls gets: the parsed input and these facts. Like the shop's handlers
 * (`#db/call`), they know nothing of the HTTP server, and return the output or throw a `Refusal`.
 */
import type { DeskName } from '#contract/desk/wire'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Role } from '#contract/desk/roles'
import type { Database } from '#db'
import type { Author, ChangeCondition } from './audit.ts'
import type { StepUpGate } from './stake.ts'

/** A member of staff who has signed in, or has begun to. */
export interface Member {
  id: bigint
  name: string
  role: Role
  session: {
    id: bigint
    /** False: the second factor is missing. */
    isComplete: boolean
    usedAt: Date
    endsAt: Date
    /** When the second factor was proved last. */
    factorAt: Date | null
  }
}

/** The limits of what members give away. */
export interface ActLimits {
  /** The daily limit of gifts by support. */
  supportBytesPerDay: bigint
  /** The daily amount from which giving traffic needs a fresh second factor. */
  stepUpBytes: bigint
  /**
   * The daily amount from which refunds, gifts of money, payouts, receipts and settled returns, added
   * together, need a fresh second factor.
   */
  stepUpMicros: bigint
}

export interface DeskContext {
  database: Database
  /** Null where no member has signed in. */
  member: Member | null
  language: 'ru' | 'en'
  now: () => Date
  /** The time zone of the shop: the days of filters and reports are days of this zone. */
  zone: string
  requestId: string
  /** The client's address, as far as it can be trusted. */
  ip: string
  userAgent: string | null
  /** Aborts once the answer has no reader: long work stops there. */
  closed: AbortSignal
  /** Sets the session cookie of the browser; null deletes it. */
  setToken: (token: string | null) => void
  /** Of calls that need the second factor by sums of a day; null: of others. */
  limits: (ActLimits & Pick<StepUpGate, 'isFresh' | 'by'>) | null
  /** Of a call that another call makes: what must hold for its change. */
  condition?: ChangeCondition
}

export type DeskHandler<N extends DeskName> = (
  input: DeskParsed<N>,
  context: DeskContext,
) => Promise<DeskOutput<N>>
export type DeskHandlers = { [N in DeskName]: DeskHandler<N> }

/** The member behind a call that needs one; the desk's server has refused all other callers before. */
export function memberOf(context: DeskContext): Member {
  if (context.member === null) throw new Error('a call of the desk was reached without a member of staff')
  return context.member
}

/** The limits of a call that needs the second factor by sums of a day. */
export function limitsOf({ limits }: DeskContext): ActLimits {
  if (limits === null) throw new Error('a call asks for the limits of sums that it does not declare')
  return limits
}

/** The author of what the call changes. */
export function authorOf(context: DeskContext): Author {
  const { id, name } = memberOf(context)
  const { ip, requestId, limits, condition } = context
  return {
    kind: 'staff',
    staffId: id,
    name,
    ip,
    requestId,
    ...(limits === null ? {} : { gate: limits }),
    ...(condition === undefined ? {} : { condition }),
  }
}
