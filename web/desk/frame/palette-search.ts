import type { DeskOutput } from '#contract/desk/contract'
import type { DeskName } from '#contract/desk/wire'

type Hit = DeskOutput<'find'>[number]

/** One letter would match nearly every customer: the search starts with two. */
export const shortestSearch = 2

/** The page that a hit of the search opens. */
export function addressOfHit({ kind, id, title }: Hit): string {
  const addresses: Record<Hit['kind'], string> = {
    customer: `/customers/${encodeURIComponent(id)}`,
    invoice: `/invoices/${encodeURIComponent(id)}`,
    connection: `/connections?request_id=${encodeURIComponent(id)}`,
    exit: `/exits?exit=${encodeURIComponent(id)}`,
    promo_code: `/promo-codes?text=${encodeURIComponent(title)}`,
  }
  return addresses[kind]
}

/** The acts on a customer that the palette offers, and the call of each. */
const customerActs = {
  give: 'give_traffic',
  block: 'block_customer',
  unblock: 'unblock_customer',
  refund: 'refund_invoice',
  resetAccess: 'reset_access',
} as const satisfies Record<string, DeskName>
export type CustomerAct = keyof typeof customerActs
const acts = Object.keys(customerActs) as CustomerAct[]

/** Splits typed text into the act, its first word, and the person: `block ivan`. Null: no act matches. */
function actIn(
  typed: string,
  nameOf: (act: CustomerAct) => string,
): { act: CustomerAct; rest: string } | null {
  const [word = '', ...others] = typed.trim().split(/\s+/)
  const wanted = word.toLowerCase()
  const act = acts.find(
    (each) => wanted.length >= shortestAct && nameOf(each).toLowerCase().startsWith(wanted),
  )
  return act === undefined ? null : { act, rest: others.join(' ') }
}

const shortestAct = 3

/** The search text: the typed text without the act before it. */
export const textWithoutAct = (typed: string, nameOf: (act: CustomerAct) => string): string => {
  const found = actIn(typed, nameOf)
  return found === null || found.rest === '' ? typed.trim() : found.rest
}

/** The acts on the customers found: the named act, or all acts that the member may do. */
export function actsOn(
  people: readonly Hit[],
  typed: string,
  may: (name: DeskName) => boolean,
  nameOf: (act: CustomerAct) => string,
): { key: string; title: string; note: string; to: string }[] {
  const named = actIn(typed, nameOf)
  if (named === null || !may(customerActs[named.act])) return []
  return people.map(({ id, title }) => ({
    key: `${named.act}-${id}`,
    title: `${nameOf(named.act)}: ${title}`,
    note: `#${id}`,
    // A refund is of an invoice, which is chosen there.
    to: `/customers/${encodeURIComponent(id)}?${named.act === 'refund' ? 'tab=invoices' : `act=${named.act}`}`,
  }))
}
