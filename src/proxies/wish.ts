/** A customer's request to the generator, parsed from the call's input. */
import type { Parsed } from '#contract/contract'
import { maxLines } from '#contract/proxy-lines'
import { maxSessionMinutes } from '#contract/session-times'
import { Refusal } from '#lib/refusal'
import { anywhere, contradictionsOf, type Targeting } from './grammar.ts'
import { sidLength } from './lines.ts'

/** The maximum number of items that a sentence lists. */
const maxNamed = 20

type Input = Parsed<'get_proxy'>

export interface Wish {
  quantity: number
  /** With a placeholder for a session when the lines are sticky. */
  targeting: Targeting
  /** Texts that cannot be AS numbers; the inventory does not have them either. */
  notAsns: string[]
}

/** Refuses invalid quantities, minutes and switches; places are checked elsewhere. */
export function readWish(input: Input): Wish {
  const quantity = count(input.quantity, maxLines)
  if (quantity === null) throw new Refusal('invalid_quantity', { limit: maxLines })
  const minutes = count(input.sessionttl, maxSessionMinutes)
  if (minutes === null) throw new Refusal('invalid_sessionttl', { limit: maxSessionMinutes })
  const asns = numbers(input.included_asns)
  const excludedAsns = numbers(input.excluded_asns)
  return {
    quantity: Math.max(quantity, 1),
    targeting: {
      ...anywhere(),
      countries: ids(input.countries),
      states: ids(input.states),
      cities: ids(input.cities),
      zips: ids(input.zipcodes),
      asns: asns.good,
      excludedAsns: excludedAsns.good,
      session: input.type === 'sticky' ? '_'.repeat(sidLength) : null,
      // 0 is the default, which a line omits.
      ttlMinutes: minutes === 0 ? null : minutes,
      anonymous: onOrOff(input.anonymous),
    },
    notAsns: [...asns.bad, ...excludedAsns.bad],
  }
}

/** A whole number from 0 to `max`, an empty text being 0; null otherwise. */
function count(value: Input['quantity'], max: number): number | null {
  const text = String(value ?? '').trim()
  if (!/^\d*$/.test(text)) return null
  const number = Number(text)
  return number <= max ? number : null
}

function onOrOff(value: Input['anonymous']): boolean {
  const text = String(value).trim().toLowerCase()
  if (text === 'true') return true
  if (text === 'false') return false
  throw new Refusal('invalid_anonymous')
}

/**
 * Each once, in the customer's order. Capitals are accepted: many programs send countries in capitals. A NUL,
 * which PostgreSQL texts cannot contain, becomes the replacement character, which occurs in no id.
 */
function ids(list: string[] | null | undefined): string[] {
  return [...new Set((list ?? []).map((id) => id.trim().toLowerCase().replaceAll('\0', '\ufffd')))]
}

function numbers(list: (string | number)[] | null | undefined): { good: number[]; bad: string[] } {
  const good = new Set<number>()
  const bad: string[] = []
  for (const item of list ?? []) {
    const number = Number(/^(?:as)?([0-9]{1,10})$/i.exec(String(item).trim())?.[1])
    if (number >= 1 && number <= 4_294_967_295) good.add(number)
    else bad.push(String(item))
  }
  return { good: [...good], bad }
}

/** Refuses a contradictory targeting, naming the contradictions. */
export function refuseContradictions(targeting: Targeting): void {
  const names = contradictionsOf(targeting).map(({ key, value }) => (key === 'xasn' ? `AS${value}` : value))
  if (names.length > 0) throw new Refusal('contradictory_targeting', { names: named(names) })
}

/** Refuses places that the pool does not have, and names them. */
export function refuseUnknown(names: string[]): void {
  if (names.length > 0) throw new Refusal('unknown_location', { names: named(names) })
}

function named(names: string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => name.slice(0, 64))
  return names.length > maxNamed ? `${shown.join(', ')}, …` : shown.join(', ')
}
