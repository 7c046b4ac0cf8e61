/**
 * Computes what is left of the traffic of one purchase. A refund takes back only the bytes of its own
 * purchase, at that purchase's price. Traffic that the purchase was exchanged for within the account belongs
 * to it; gifts to others do not. Pure, so that every order of events can be tested.
 */
import { least, most } from '#lib/bigint'

/** A purchase or received traffic, less what was moved on or taken back. */
export interface Lot {
  pool: string
  invoiceId: bigint | null
  moveId: bigint | null
  bytes: bigint
}

/** A part of a move of the account, less its undone bytes. */
export interface MovedPart {
  id: bigint
  moveId: bigint
  kind: 'gift' | 'exchange'
  fromPool: string
  /** The pool that the traffic of an exchange came to. */
  toPool: string
  invoiceId: bigint | null
  sourceMoveId: bigint | null
  bytes: bigint
  toBytes: bigint
}

/**
 * What was paid for a part of an exchange and for the whole exchange, and the bytes that the whole exchange
 * gave.
 */
export interface PaidPart {
  paidMicros: bigint
  movePaidMicros: bigint
  toBytes: bigint
}

/**
 * The bytes that an exchange gave for a part, in proportion to what was paid for the part, because the paid
 * price bounds what an exchange gives. In proportion to its bytes, a discounted purchase would leave the
 * customer with traffic at the price of another purchase.
 */
export function toBytesOf({ paidMicros, movePaidMicros, toBytes }: PaidPart): bigint {
  if (paidMicros <= 0n || movePaidMicros <= 0n) return 0n
  return least(toBytes, ratio(toBytes * paidMicros, movePaidMicros))
}

/** The traffic of an account. The lots of each pool are in the order in which they are used. */
export interface Holdings {
  lots: readonly Lot[]
  parts: readonly MovedPart[]
  /** Paid bytes of each pool, without those that disputes withhold. */
  heldBytes: ReadonlyMap<string, bigint>
  /** The part of `heldBytes` that no lease may need. */
  freeBytes: ReadonlyMap<string, bigint>
  /** Bytes that disputes withhold, by `lotKey`. */
  frozenBytes: ReadonlyMap<string, bigint>
}

/**
 * A part of an exchange that is undone: `toBytes` of the pool that it gave become `bytes` of the pool that it
 * took.
 */
export interface Undone {
  part: MovedPart
  bytes: bigint
  toBytes: bigint
}

/** What can be taken of the traffic of an invoice. */
export interface Own {
  /** Bytes in the invoice's pool, once the exchanges are undone. */
  bytes: bigint
  undone: readonly Undone[]
  /** The same traffic by the pool that holds it until the exchanges are undone. */
  byPool: ReadonlyMap<string, bigint>
  /** Bytes given to others, converted to the invoice's pool; they are not taken back. */
  givenBytes: bigint
}

type Source = Pick<Lot, 'invoiceId' | 'moveId'>

/** The key of a lot. */
export const lotKey = ({ invoiceId, moveId }: Source): string =>
  invoiceId === null ? `m${moveId}` : `i${invoiceId}`
const sourceOf = ({ invoiceId, sourceMoveId }: MovedPart): Source => ({ invoiceId, moveId: sourceMoveId })

/** The bytes left of each lot: the oldest lots of a pool are used first, and withheld bytes are not used. */
export function leftOfLots({ lots, heldBytes, frozenBytes }: Holdings): Map<string, bigint> {
  const left = new Map<string, bigint>()
  for (const [pool, ofPool] of Map.groupBy(lots, (lot) => lot.pool)) {
    const loose = ofPool.map((lot) => ({
      lot,
      bytes: most(0n, lot.bytes - (frozenBytes.get(lotKey(lot)) ?? 0n)),
    }))
    let used = most(0n, loose.reduce((sum, { bytes }) => sum + bytes, 0n) - (heldBytes.get(pool) ?? 0n))
    for (const { lot, bytes } of loose) {
      const ofLot = least(used, bytes)
      used -= ofLot
      left.set(lotKey(lot), bytes - ofLot)
    }
  }
  return left
}

/**
 * Finds at most this many bytes of an invoice: first those left in its pool, then those that it was exchanged
 * for, in whichever pool they are now, the last exchange first. All traffic of one exchange has the same
 * price, so any part of it that is left can be taken.
 */
export function ownTraffic(
  holdings: Holdings,
  invoice: { id: bigint; pool: string },
  wantedBytes: bigint,
): Own {
  const left = leftOfLots(holdings)
  const free = new Map(holdings.freeBytes)
  const parts = Map.groupBy(holdings.parts, (part) => lotKey(sourceOf(part)))
  const undone: Undone[] = []
  const source = { invoiceId: invoice.id, moveId: null }
  const ownBytes = least(wantedBytes, left.get(lotKey(source)) ?? 0n)
  // A chain of exchanges may end in the invoice's pool.
  add(free, invoice.pool, -ownBytes)
  const bring = (to: Source, wanted: bigint): bigint => {
    let need = wanted
    for (const part of (parts.get(lotKey(to)) ?? []).toReversed()) {
      if (need <= 0n) break
      if (part.kind !== 'exchange' || part.toBytes <= 0n || part.bytes <= 0n) continue
      const from = { invoiceId: null, moveId: part.moveId }
      const available = () => least(left.get(lotKey(from)) ?? 0n, free.get(part.toPool) ?? 0n)
      const wish = least(part.toBytes, ratio(need * part.toBytes, part.bytes))
      if (available() < wish) bring(from, wish - available())
      const toBytes = least(wish, available())
      const bytes = toBytes === part.toBytes ? part.bytes : least(need, (part.bytes * toBytes) / part.toBytes)
      if (bytes <= 0n) continue
      undone.push({ part, bytes, toBytes })
      add(left, lotKey(from), -toBytes)
      add(free, part.toPool, -toBytes)
      add(left, lotKey(to), bytes)
      add(free, part.fromPool, bytes)
      need -= bytes
    }
    return wanted - need
  }
  const broughtBytes = bring(source, wantedBytes - ownBytes)
  const byPool = new Map([[invoice.pool, ownBytes]])
  for (const { part, bytes, toBytes } of undone) {
    add(byPool, part.toPool, toBytes)
    // Bytes from an undone later exchange are exchanged back further, to the invoice's pool.
    if (part.sourceMoveId !== null) add(byPool, part.fromPool, -bytes)
  }
  const givenBytes = givenOf(parts, source)
  return { bytes: least(wantedBytes, ownBytes + broughtBytes), undone, byPool, givenBytes }
}

/**
 * Bytes of a source that were given to others, directly or after exchanges, converted to the source's pool.
 */
function givenOf(parts: ReadonlyMap<string, readonly MovedPart[]>, source: Source): bigint {
  let given = 0n
  for (const part of parts.get(lotKey(source)) ?? []) {
    if (part.kind === 'gift') given += part.bytes
    else if (part.toBytes > 0n) {
      const ofMove = givenOf(parts, { invoiceId: null, moveId: part.moveId })
      given += least(part.bytes, (ofMove * part.bytes) / part.toBytes)
    }
  }
  return given
}

/**
 * The gifts that contain traffic of a source, directly or after exchanges: the bytes of the source in each,
 * in the pool of the gift, by the move's id.
 */
export function giftsOf(parts: readonly MovedPart[], source: Source): Map<bigint, bigint> {
  const gifts = new Map<bigint, bigint>()
  for (const part of parts.filter((one) => lotKey(sourceOf(one)) === lotKey(source))) {
    if (part.kind === 'gift') add(gifts, part.moveId, part.bytes)
    else if (part.toBytes > 0n) {
      const all = parts.filter(({ moveId }) => moveId === part.moveId)
      const whole = all.reduce((sum, { toBytes }) => sum + toBytes, 0n)
      for (const [move, bytes] of giftsOf(parts, { invoiceId: null, moveId: part.moveId }))
        add(gifts, move, (bytes * part.toBytes) / whole)
    }
  }
  return gifts
}

const add = <K>(sums: Map<K, bigint>, key: K, more: bigint) => sums.set(key, (sums.get(key) ?? 0n) + more)

/** A quotient of numbers above zero, rounded up. */
const ratio = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor
