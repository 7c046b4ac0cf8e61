/** The filters of the list, in the address as typed, and as input of the call. */
import type { DeskInput } from '#contract/desk/contract'
import { parseGb, parseUsd } from '../../parts/amounts.ts'
import { given } from '../../parts/given.ts'

export type Filters = Omit<DeskInput<'customers'>, 'after' | 'limit'>

const plain = [
  'text',
  'state',
  'tag',
  'seen_from',
  'seen_to',
  'joined_from',
  'joined_to',
  'campaign',
  'country',
  'price_list',
  'sort',
]
/** The filters that are amounts in dollars or GB, with their parsers. */
const amounts = { spent_from: parseUsd, spent_to: parseUsd, balance_from: parseGb, balance_to: parseGb }

/** The filters that are collapsed until one is used. */
export const moreFilters = [
  ...Object.keys(amounts),
  'seen_to',
  'joined_from',
  'joined_to',
  'campaign',
  'country',
  'inviter',
  'price_list',
  'margin',
] as const

/** A value that is not a number does not filter. */
export function filtersOf(search: URLSearchParams): Filters {
  const numbers = Object.entries(amounts).flatMap(([name, parse]) => {
    const typed = search.get(name)?.trim() ?? ''
    const amount = /^0+$/.test(typed) ? 0n : parse(typed)
    return amount === null ? [] : [[name, String(amount)]]
  })
  const inviter = /^#?([1-9]\d{0,17})$/.exec(search.get('inviter')?.trim() ?? '')?.[1]
  return {
    ...given(search, plain),
    ...Object.fromEntries(numbers),
    ...(inviter === undefined ? {} : { inviter }),
    ...(search.get('margin') === 'loss' ? { margin_to: '-1' } : {}),
  } as Filters
}
