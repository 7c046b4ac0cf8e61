import type { DeskOutput } from '#contract/desk/contract'

type Hit = DeskOutput<'find'>[number]

/** One letter would match nearly every customer: the search starts with two. */
export const shortestSearch = 2

/** Where a hit of the search opens. */
export function addressOfHit({ kind, id, title }: Hit): string {
  const addresses: Record<Hit['kind'], string> = {
    customer: `/customers/${encodeURIComponent(id)}`,
    invoice: `/invoices/${encodeURIComponent(id)}`,
    connection: `/connections?request_id=${encodeURIComponent(id)}`,
    exit: '/exits',
    promo_code: `/promo-codes?text=${encodeURIComponent(title)}`,
  }
  return addresses[kind]
}
