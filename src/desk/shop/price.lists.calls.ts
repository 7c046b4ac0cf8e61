/** The desk's calls about price lists. */
import {
  type ListPrice,
  type ListTerms,
  type PriceList,
  priceList,
  priceLists,
  pricesOfList,
  shopPrices,
} from '#catalog'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { listAudit } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers } from '#staff/call'
import { idAfter, pageOf } from '../lists/page.ts'
import { isSoldBelowCost, leastPrices } from './below.cost.ts'
import { assignList, changeList, dropList, makeList, recordedList } from './price.lists.ts'
import { preview } from './price.preview.ts'

type GivenTerms = Pick<DeskParsed<'create_price_list'>, 'prices' | 'tiers'>

const termsOf = ({ prices, tiers }: GivenTerms): ListTerms => ({
  prices: new Map(
    prices.map((price): [Pool, ListPrice] => [
      price.pool,
      'off_ppm' in price ? { offPpm: price.off_ppm } : { perGbMicros: BigInt(price.per_gb_micros) },
    ]),
  ),
  tiers: tiers?.map(({ from_gb: fromGb, discount_ppm: discountPpm }) => ({ fromGb, discountPpm })) ?? null,
})

async function shown(
  { database: { db }, now }: DeskContext,
  lists: readonly PriceList[],
): Promise<DeskOutput<'price_lists'>> {
  const [shop, least] = [await shopPrices(db), await leastPrices(db, now())]
  return lists.map((list) => ({
    ...recordedList(list),
    id: String(list.id),
    version: list.version,
    customers: Number(list.customers),
    below_cost: isSoldBelowCost(pricesOfList(shop, list), least),
  }))
}

async function shownOne(context: DeskContext, list: PriceList): Promise<DeskOutput<'change_price_list'>> {
  const [one] = await shown(context, [list])
  if (one === undefined) throw new Error('one list has one row')
  return one
}

type Recorded = ReturnType<typeof recordedList>
type Entry = Awaited<ReturnType<typeof listAudit>>[number]

function changeOf(
  entry: Entry,
  known: ReadonlySet<string>,
): DeskOutput<'price_list_changes'>['rows'][number] {
  const [before, after] = [entry.before, entry.after] as unknown as [Recorded | null, Recorded | null]
  const terms = (of: Recorded | null) => of && { prices: of.prices, tiers: of.tiers }
  const id = entry.subject_id ?? ''
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    by: entry.actor_name,
    reason: entry.reason,
    list_id: known.has(id) ? id : null,
    name: (after ?? before)?.name ?? '',
    before: terms(before),
    after: terms(after),
  }
}

export const priceListCalls = {
  price_lists: async (_input, context) => shown(context, await priceLists(context.database.db)),
  price_list_changes: async ({ after, limit = 50 }, { database: { db } }) => {
    const known = new Set((await priceLists(db)).map(({ id }) => String(id)))
    const filter = { actions: ['create_price_list', 'change_price_list', 'remove_price_list'] }
    const entries = await listAudit(db, filter, { before: idAfter(after), limit: limit + 1 })
    return pageOf(entries, limit, {
      next: ({ id }) => String(id),
      shown: (entry) => changeOf(entry, known),
    })
  },
  preview_price_list: async ({ id, ...given }, { database: { db }, now }) => {
    const shop = await shopPrices(db)
    const list = id === null ? null : await priceList(db, BigInt(id))
    if (id !== null && list === null) throw new Refusal('price_list_not_found')
    const before = list === null ? shop : pricesOfList(shop, list)
    return preview(before, pricesOfList(shop, termsOf(given)), await leastPrices(db, now()))
  },
  create_price_list: async ({ name, reason, ...given }, context) => {
    const draft = { name, reason, ...termsOf(given) }
    return shownOne(context, await makeList(context.database.db, authorOf(context), draft, context.now()))
  },
  change_price_list: async ({ id, version, name, reason, ...given }, context) => {
    const wanted = { name, ...termsOf(given) }
    const change = { id: BigInt(id), version, wanted: () => wanted, reason }
    return shownOne(context, await changeList(context.database.db, authorOf(context), change, context.now()))
  },
  remove_price_list: async ({ id, version, reason }, context) => {
    const list = { id: BigInt(id), version, reason }
    await dropList(context.database.db, authorOf(context), list, context.now())
    return true as const
  },
  assign_price_list: async ({ id, list_id: listId, reason }, context) => {
    const wish = { accountId: BigInt(id), listId: listId === null ? null : BigInt(listId), reason }
    const changed = await assignList(context.database.db, authorOf(context), wish, context.now())
    return { changed }
  },
} satisfies Partial<DeskHandlers>
