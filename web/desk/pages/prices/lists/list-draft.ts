/** A price list during editing: as typed, and as input of the call. */
import type { priceKinds } from '#contract/desk/choices'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { parsePercent, parseUsd, percentText, usdText } from '../../../parts/amounts.ts'
import { parseTiers, type TierDraft, tiersDraftOf } from '../draft.ts'

export type PriceList = DeskOutput<'price_lists'>[number]
export type ListTerms = Pick<PriceList, 'prices' | 'tiers'>

export type PriceKind = (typeof priceKinds)[number]

export interface ListDraft {
  name: string
  prices: Readonly<Record<Pool, { kind: PriceKind; text: string }>>
  hasOwnTiers: boolean
  tiers: TierDraft
}

export function listDraftOf({ name, prices, tiers }: ListTerms & { name: string }): ListDraft {
  const typed = (pool: Pool): ListDraft['prices'][Pool] => {
    const own = prices.find((each) => each.pool === pool)
    if (own === undefined) return { kind: 'shop', text: '' }
    if ('off_ppm' in own) return { kind: 'off', text: percentText(own.off_ppm) }
    return { kind: 'fixed', text: usdText(BigInt(own.per_gb_micros)) }
  }
  return {
    name,
    prices: Object.fromEntries(pools.map((pool) => [pool, typed(pool)])) as ListDraft['prices'],
    hasOwnTiers: tiers !== null,
    tiers: tiersDraftOf(tiers ?? []),
  }
}

export const emptyList: ListDraft = listDraftOf({ name: '', prices: [], tiers: null })

type Wanted = Omit<DeskInput<'create_price_list'>, 'reason'>

/** The draft as the server takes it; null while a field is missing or not a number. */
export function parseList({ name, prices, hasOwnTiers, tiers }: ListDraft): Wanted | null {
  const parsed: Wanted['prices'] = []
  for (const pool of pools) {
    const { kind, text } = prices[pool]
    if (kind === 'shop') continue
    const value = kind === 'fixed' ? parseUsd(text) : parsePercent(text)
    if (value === null) return null
    parsed.push(typeof value === 'bigint' ? { pool, per_gb_micros: String(value) } : { pool, off_ppm: value })
  }
  const steps = hasOwnTiers ? parseTiers(tiers) : null
  if (name.trim() === '' || (hasOwnTiers && steps === null)) return null
  return { name: name.trim(), prices: parsed, tiers: steps }
}
