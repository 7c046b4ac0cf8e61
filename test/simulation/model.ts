/** The expected state: the world as plain numbers, maintained beside the real one and independent of it. */
import type { Goods } from '#contract/wire'
import type { ProcessorName } from './processors.ts'

/** A customer. */
export interface Person {
  index: number
  accountId: bigint
  invitedBy: Person | null
  /** Parts per million of the payments of people they invited. */
  sharePpm: number
}

/** An order at a processor, or from a balance. */
export interface Order {
  person: Person
  /** `balance`: a top-up of the money balance, by `micros`. */
  pool: Goods
  gb: bigint
  micros: bigint
  method: ProcessorName | 'referral' | 'balance'
  promocode: string | null
  /** The key under which it is repeated until it is answered. */
  number: string
  state: 'unanswered' | 'refused' | 'made'
  /** The quote as first seen; it never changes. */
  quote: { costMicros: bigint; fullCostMicros: bigint } | null
  /** The processor's id of it, once known. */
  externalId: string | null
  /** Micro-USD that the payer has sent and that are final. */
  paidMicros: bigint
  /** Payments of the sandbox: each counts once, whatever the number of its notifications. */
  payments: number
  refund: 'none' | 'done'
  /** A request for a refund without an answer: it is repeated under its key. */
  wish: { what: 'all' | 'unused' | bigint; key: string } | null
  /** The processor returned money of it that the shop did not order, or its payer disputed it. */
  isReturned: boolean
  /** The order was paid from the referral balance or the money balance. */
  isFromBalance: boolean
}

/** A traffic code that a customer wants to use, once. */
export interface Gift {
  person: Person
  code: string
  operation: string
  state: 'unanswered' | 'refused' | 'given'
}

/** The bytes that gateways have recorded for one account. */
export interface Relayed {
  bytes: bigint
  requests: bigint
}

export class Model {
  readonly people: Person[] = []
  readonly orders: Order[] = []
  readonly gifts: Gift[] = []
  /** By access: the contents of the journals, each report once. */
  readonly journalled = new Map<bigint, Relayed>()
  /** By access: bytes passed to the kernel. */
  readonly sent = new Map<bigint, bigint>()
  /** Bytes that a killed gateway had sent and not yet recorded; negative when it had recorded first. */
  readonly forgotten = new Map<bigint, bigint>()
  /** A running gateway was considered lost: only then may the house pay for bytes. */
  isLeaseLost = false
  /** Violations detected during the run. */
  readonly surprises: string[] = []
  readonly counts = new Map<string, number>()

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  journal(accessId: bigint, bytes: bigint, requests: number): void {
    const known = this.journalled.get(accessId) ?? { bytes: 0n, requests: 0n }
    known.bytes += bytes
    known.requests += BigInt(requests)
    this.journalled.set(accessId, known)
  }
}

export function add(map: Map<bigint, bigint>, key: bigint, by: bigint): void {
  map.set(key, (map.get(key) ?? 0n) + by)
}
