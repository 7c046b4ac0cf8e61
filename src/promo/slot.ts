/** The place that a use takes among the uses of one code by one customer: pure. */

export interface UseRow {
  /** Tells the uses of one code by one customer apart. */
  nth: number
  invoice: string | null
  heldUntil: Date | null
  usedAt: Date | null
  /** The operation that used a traffic code, when it came under a key. */
  operation: string | null
}

export interface Slot {
  nth: number
  /** The held use that is replaced: the invoice's own, or that of another invoice of this customer. */
  held: UseRow | null
}

/**
 * The place for holding or counting a use, optionally for an invoice. Null: the customer has used the code as
 * often as allowed. An invoice keeps its own hold. A further one gets a free place, or takes over the hold
 * that ends first, because a customer holds no more uses than are left to them.
 */
export function slotFor(
  rows: readonly UseRow[],
  usesPerPerson: number,
  invoice: string | null = null,
): Slot | null {
  const held = rows.filter(({ usedAt }) => usedAt === null)
  const used = rows.length - held.length
  if (used >= usesPerPerson) return null
  const own = invoice === null ? undefined : held.find((row) => row.invoice === invoice)
  if (own !== undefined) return { nth: own.nth, held: own }
  if (rows.length < usesPerPerson) return { nth: freeNumber(rows), held: null }
  const [first] = held.toSorted((a, b) => (a.heldUntil?.getTime() ?? 0) - (b.heldUntil?.getTime() ?? 0))
  return first === undefined ? null : { nth: first.nth, held: first }
}

/** The smallest unused number: cancelled holds leave gaps. */
function freeNumber(rows: readonly UseRow[]): number {
  const taken = new Set(rows.map(({ nth }) => nth))
  let nth = 1
  while (taken.has(nth)) nth++
  return nth
}
