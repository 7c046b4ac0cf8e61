/** The goods and their prices. */
import { type Kysely, sql } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import { type DB, gathered } from '#db'
import { quote, type Quote, type Tier, volumeDiscountPpm } from './price.ts'
import { type PriceList, priceListOf, type Prices, pricesOfList } from './price.lists.ts'

export { amountOf } from './amount.ts'
export { catalogParts, erasePriceList } from './export.and.erase.ts'
export {
  changePriceList,
  createPriceList,
  type ListPrice,
  type ListTerms,
  lockPriceList,
  type PriceList,
  priceList,
  priceListNames,
  priceListOf,
  priceLists,
  type Prices,
  pricesOfList,
  removePriceList,
  setPriceListOf,
} from './price.lists.ts'
export type { Quote, Tier } from './price.ts'
export { quote, volumeDiscountPpm } from './price.ts'

/** Base prices in micro-USD per GB, for the pools that are on sale. */
export async function basePrices(db: Kysely<DB>): Promise<Map<Pool, bigint>> {
  const rows = await db.selectFrom('price').select(['pool', 'per_gb_micros']).execute()
  return inOrder(rows.map((row) => [row.pool, row.per_gb_micros]))
}

/** Prices in the order of the pools. */
function inOrder(prices: readonly (readonly [string, bigint])[]): Map<Pool, bigint> {
  const byPool = new Map(prices)
  return new Map(pools.flatMap((pool) => (byPool.has(pool) ? [[pool, byPool.get(pool) ?? 0n] as const] : [])))
}

/** Volume discounts, smallest tier first. */
export async function tiers(db: Kysely<DB>): Promise<Tier[]> {
  const rows = await db.selectFrom('volume_discount').selectAll().orderBy('from_gb').execute()
  return rows.map((row) => ({ fromGb: row.from_gb, discountPpm: row.discount_ppm }))
}

/** The shop's prices and volume discounts, which the public pages show. */
export const shopPrices = async (db: Kysely<DB>): Promise<Prices> => (await readPrices(db, null)).shop

/** The shop's prices, and whether the customer has a price list. Null: nobody in particular. */
async function readPrices(
  db: Kysely<DB>,
  accountId: bigint | null,
): Promise<{ shop: Prices; hasList: boolean }> {
  const read = await readPricesFor(db, accountId)
  if (read === undefined) throw new Error('the prices were not read')
  return read
}

/** Public pages and programs read prices all the time, so one statement reads them for all at the same time. */
const readPricesFor = gathered<bigint | null, { shop: Prices; hasList: boolean }>(async (db, accountIds) => {
  const { rows } = await sql<{ prices: [Pool, string][]; tiers: [number, number][]; listed: bigint[] }>`
    select (select coalesce(json_agg(json_build_array(pool, per_gb_micros::text)), '[]') from price) as prices,
      (select coalesce(json_agg(json_build_array(from_gb, discount_ppm) order by from_gb), '[]')
        from volume_discount) as tiers,
      array(select account_id from account_price_list
        where account_id = any(${accountIds.filter((id) => id !== null)}::bigint[])) as listed`.execute(db)
  const [{ prices, tiers: steps, listed } = { prices: [], tiers: [], listed: [] }] = rows
  const shop = {
    prices: inOrder(prices.map(([pool, micros]) => [pool, BigInt(micros)])),
    tiers: steps.map(([fromGb, discountPpm]) => ({ fromGb, discountPpm })),
  }
  return new Map(accountIds.map((id) => [id, { shop, hasList: id !== null && listed.includes(id) }]))
})

/** The prices that apply to a customer, and their price list. `list` null: the shop's prices apply. */
export async function pricesFor(
  db: Kysely<DB>,
  accountId: bigint | null,
): Promise<Prices & { list: PriceList | null }> {
  const { shop, hasList } = await readPrices(db, accountId)
  const list = accountId === null || !hasList ? null : await priceListOf(db, accountId)
  return list === null ? { ...shop, list } : { ...pricesOfList(shop, list), list }
}

/**
 * The quote for an order of a customer, or null when the pool is not on sale. The discount by volume and that
 * of a promo code come off the price of the customer's list, one after the other.
 */
export async function quoteFor(
  db: Kysely<DB>,
  order: { accountId: bigint; pool: Pool; gb: bigint; promoDiscountPpm: number },
): Promise<Quote | null> {
  const { accountId, ...terms } = order
  const { prices, tiers: steps, list } = await pricesFor(db, accountId)
  const perGbMicros = prices.get(order.pool)
  if (perGbMicros === undefined) return null
  const priced = quote({ ...terms, perGbMicros, volumeDiscountPpm: volumeDiscountPpm(steps, order.gb) })
  return { ...priced, priceList: list?.name ?? null }
}

/** Puts a pool on sale, or changes its price: micro-USD per GB, above 0. Open invoices keep their quote. */
export async function setPrice(db: Kysely<DB>, pool: Pool, perGbMicros: bigint): Promise<void> {
  await db
    .insertInto('price')
    .values({ pool, per_gb_micros: perGbMicros })
    .onConflict((conflict) => conflict.column('pool').doUpdateSet({ per_gb_micros: perGbMicros }))
    .execute()
}

/** Takes a pool off sale. False: it was not on sale. */
export async function removePrice(db: Kysely<DB>, pool: Pool): Promise<boolean> {
  const result = await db.deleteFrom('price').where('pool', '=', pool).executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Sets the discount that applies from this number of GB on, below 100 %. */
export async function setTier(db: Kysely<DB>, { fromGb, discountPpm }: Tier): Promise<void> {
  await db
    .insertInto('volume_discount')
    .values({ from_gb: fromGb, discount_ppm: discountPpm })
    .onConflict((conflict) => conflict.column('from_gb').doUpdateSet({ discount_ppm: discountPpm }))
    .execute()
}

/** Removes a tier. False: there was none at exactly this number of GB. */
export async function removeTier(db: Kysely<DB>, fromGb: number): Promise<boolean> {
  const result = await db.deleteFrom('volume_discount').where('from_gb', '=', fromGb).executeTakeFirst()
  return result.numDeletedRows > 0n
}

const demoPricesMicros: Record<Pool, bigint> = {
  residential: 3_500_000n,
  residential_premium: 5_900_000n,
  datacenter: 700_000n,
  mobile: 7_900_000n,
}
const demoTiers: Tier[] = [
  { fromGb: 100, discountPpm: 100_000 },
  { fromGb: 300, discountPpm: 170_000 },
  { fromGb: 500, discountPpm: 240_000 },
  { fromGb: 1000, discountPpm: 330_000 },
]

/** Prices and tiers for a demo; an operator's own are not changed. */
export async function seedDemoCatalog(db: Kysely<DB>): Promise<void> {
  await db
    .insertInto('price')
    .values(pools.map((pool) => ({ pool, per_gb_micros: demoPricesMicros[pool] })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('volume_discount')
    .values(demoTiers.map((tier) => ({ from_gb: tier.fromGb, discount_ppm: tier.discountPpm })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
