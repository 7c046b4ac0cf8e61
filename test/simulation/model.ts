/** What must be true: the world as plain numbers, kept beside the real one and never asked of it. */
import type { Pool } from '#contract/wire'
import type { ProcessorName } from './processors.ts'

/** Somebody who buys, sells nothing and forgets nothing. */
export interface Person {
  index: number
  accountId: bigint
  invitedBy: Person | null
  /** Parts per million of what those they invited pay. */
  sharePpm: number
}

/** An order at a processor, or from the referral balance. */
export interface Order {
  person: Person
  pool: Pool
  gb: bigint
  method: ProcessorName | 'referral'
  promocode: string | null
  /** Under which it is repeated until it is answered. */
  number: string
  state: 'unanswered' | 'refused' | 'made'
  /** The quote, as it was first seen; it never changes. */
  quote: { costMicros: bigint; fullCostMicros: bigint } | null
  /** The processor's id of it, while it is there. */
  externalId: string | null
  /** Micro-USD that the payer has sent, for good. */
  paidMicros: bigint
  /** Payments of the sandbox: each is one, however often it is told. */
  payments: number
  refund: 'none' | 'unanswered' | 'done'
  /** When the refund was asked for, the customer's money that had arrived may still grow. */
  isReferral: boolean
}

/** A traffic code that somebody wants to use, once. */
export interface Gift {
  person: Person
  code: string
  operation: string
  state: 'unanswered' | 'refused' | 'given'
}

/** What gateways have written down about one account. */
export interface Relayed {
  bytes: bigint
  requests: bigint
}

export class Model {
  readonly people: Person[] = []
  readonly orders: Order[] = []
  readonly gifts: Gift[] = []
  /** By subuser: what stands in the journals, each report once. */
  readonly journalled = new Map<bigint, Relayed>()
  /** By subuser: bytes handed to the kernel. */
  readonly sent = new Map<bigint, bigint>()
  /** Bytes that a killed gateway had sent and not yet written down; below zero when it had written first. */
  readonly forgotten = new Map<bigint, bigint>()
  /** Somebody was taken for lost while they lived: only then may the house bear bytes. */
  isLeaseLost = false
  /** What went wrong by itself, at once. */
  readonly surprises: string[] = []
  readonly counts = new Map<string, number>()

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  journal(subuserId: bigint, bytes: bigint, requests: number): void {
    const known = this.journalled.get(subuserId) ?? { bytes: 0n, requests: 0n }
    known.bytes += bytes
    known.requests += BigInt(requests)
    this.journalled.set(subuserId, known)
  }
}

export function add(map: Map<bigint, bigint>, key: bigint, by: bigint): void {
  map.set(key, (map.get(key) ?? 0n) + by)
}
