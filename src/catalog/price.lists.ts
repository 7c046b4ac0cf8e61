/** Price lists: prices agreed with some customers, in place of the shop's. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import type { Tier } from './price.ts'

type Db = Kysely<DB>

/** Prices and volume discounts by which an order is priced. */
export interface Prices {
  /** Micro-USD per GB; a pool that is left out is not on sale. */
  prices: Map<Pool, bigint>
  tiers: Tier[]
}

/** A fixed price of a GB, or what is taken off the shop's price, above 0 and below 100 %. */
export type ListPrice = { perGbMicros: bigint } | { offPpm: number }

export interface ListTerms {
  /** A pool that is left out has the shop's price. */
  prices: ReadonlyMap<Pool, ListPrice>
  /** Null: the shop's discounts by volume apply. */
  tiers: readonly Tier[] | null
}

export interface PriceList extends ListTerms {
  id: bigint
  name: string
  /** Counts changes. */
  version: number
  /** The customers who have it. */
  customers: bigint
}

const wholePpm = 1_000_000n

/**
 * The prices of a list. `offPpm` is taken off the shop's current price, which is rounded half up to the
 * micro-USD and never to 0. A list sells no pool that the shop does not sell.
 */
export function pricesOfList(shop: Prices, { prices, tiers }: ListTerms): Prices {
  const listed = [...shop.prices].map(([pool, micros]): [Pool, bigint] => {
    const own = prices.get(pool)
    if (own === undefined) return [pool, micros]
    if ('perGbMicros' in own) return [pool, own.perGbMicros]
    const left = (micros * (wholePpm - BigInt(own.offPpm)) + wholePpm / 2n) / wholePpm
    return [pool, left > 0n ? left : 1n]
  })
  return { prices: new Map(listed), tiers: [...(tiers ?? shop.tiers)] }
}

interface Row {
  id: bigint
  name: string
  version: number
  hasOwnTiers: boolean
  customers: bigint
  prices: { pool: Pool; per_gb_micros: string | null; off_ppm: number | null }[]
  tiers: { from_gb: number; discount_ppm: number }[]
}

/** Price lists in the order of names. `ids`: only these; `accountId`: only the list of this customer. */
async function readLists(
  db: Db,
  { id = null, accountId = null }: { id?: bigint | null; accountId?: bigint | null },
): Promise<PriceList[]> {
  const { rows } = await sql<Row>`
    select l.id, l.name, l.version, l.has_own_tiers as "hasOwnTiers",
      (select count(*) from account_price_list a where a.list_id = l.id) as customers,
      coalesce((select jsonb_agg(jsonb_build_object('pool', p.pool, 'per_gb_micros', p.per_gb_micros::text, 'off_ppm', p.off_ppm)
        order by p.pool) from price_list_price p where p.list_id = l.id), '[]') as prices,
      coalesce((select jsonb_agg(jsonb_build_object('from_gb', t.from_gb, 'discount_ppm', t.discount_ppm) order by t.from_gb)
        from price_list_tier t where t.list_id = l.id), '[]') as tiers
    from price_list l
    where (${id}::bigint is null or l.id = ${id})
      and (${accountId}::bigint is null
        or l.id = (select a.list_id from account_price_list a where a.account_id = ${accountId}))
    order by lower(l.name)`.execute(db)
  return rows.map(({ hasOwnTiers, prices, tiers, ...list }) => ({
    ...list,
    prices: new Map(
      prices.map(({ pool, per_gb_micros: micros, off_ppm: offPpm }): [Pool, ListPrice] => [
        pool,
        micros === null ? { offPpm: offPpm ?? 0 } : { perGbMicros: BigInt(micros) },
      ]),
    ),
    tiers: hasOwnTiers
      ? tiers.map(({ from_gb: fromGb, discount_ppm: discountPpm }) => ({ fromGb, discountPpm }))
      : null,
  }))
}

/** All price lists, by name. */
export const priceLists = (db: Db): Promise<PriceList[]> => readLists(db, {})

/** A price list; null: there is none with this id. */
export const priceList = async (db: Db, id: bigint): Promise<PriceList | null> =>
  (await readLists(db, { id }))[0] ?? null

/** The price list of a customer; null: the shop's prices apply. */
export const priceListOf = async (db: Db, accountId: bigint): Promise<PriceList | null> =>
  (await readLists(db, { accountId }))[0] ?? null

/** Makes a price list. Null: another one has the name. */
export async function createPriceList(
  db: Db,
  given: ListTerms & { name: string },
): Promise<PriceList | null> {
  const made = await db
    .insertInto('price_list')
    .values({ name: given.name, has_own_tiers: given.tiers !== null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return null
  await writeTerms(db, made.id, given)
  return priceList(db, made.id)
}

/** Locks a price list until the transaction ends: two changes of it follow each other. */
export async function lockPriceList(db: Db, id: bigint): Promise<PriceList | null> {
  await db.selectFrom('price_list').select('id').where('id', '=', id).forUpdate().execute()
  return priceList(db, id)
}

/** Replaces name and terms of a locked list; open invoices keep their quote. False: another list has the name. */
export async function changePriceList(
  db: Db,
  id: bigint,
  given: ListTerms & { name: string },
): Promise<boolean> {
  const other = await db
    .selectFrom('price_list')
    .select('id')
    .where(sql`lower(name)`, '=', given.name.toLowerCase())
    .where('id', '<>', id)
    .executeTakeFirst()
  if (other !== undefined) return false
  await db
    .updateTable('price_list')
    .set({ name: given.name, has_own_tiers: given.tiers !== null, version: sql`version + 1` })
    .where('id', '=', id)
    .execute()
  await db.deleteFrom('price_list_price').where('list_id', '=', id).execute()
  await db.deleteFrom('price_list_tier').where('list_id', '=', id).execute()
  await writeTerms(db, id, given)
  return true
}

async function writeTerms(db: Db, id: bigint, { prices, tiers }: ListTerms): Promise<void> {
  const rows = [...prices].map(([pool, price]) => ({
    list_id: id,
    pool,
    per_gb_micros: 'perGbMicros' in price ? price.perGbMicros : null,
    off_ppm: 'offPpm' in price ? price.offPpm : null,
  }))
  if (rows.length > 0) await db.insertInto('price_list_price').values(rows).execute()
  const steps = (tiers ?? []).map(({ fromGb, discountPpm }) => ({
    list_id: id,
    from_gb: fromGb,
    discount_ppm: discountPpm,
  }))
  if (steps.length > 0) await db.insertInto('price_list_tier').values(steps).execute()
}

/** Removes a locked list that no customer has. */
export async function removePriceList(db: Db, id: bigint): Promise<void> {
  await db.deleteFrom('price_list').where('id', '=', id).execute()
}

/** Gives a customer a price list; null: the shop's prices. Open invoices keep their quote. */
export async function setPriceListOf(
  db: Db,
  { accountId, listId }: { accountId: bigint; listId: bigint | null },
  now: Date,
): Promise<void> {
  if (listId === null) {
    await db.deleteFrom('account_price_list').where('account_id', '=', accountId).execute()
    return
  }
  await db
    .insertInto('account_price_list')
    .values({ account_id: accountId, list_id: listId, assigned_at: now })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ list_id: listId, assigned_at: now }),
    )
    .execute()
}

/** The customers who have one of these lists, by the ids of the accounts. */
export async function priceListNames(
  db: Db,
  accountIds: readonly bigint[],
): Promise<Map<bigint, { id: bigint; name: string }>> {
  if (accountIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('account_price_list as a')
    .innerJoin('price_list as l', 'l.id', 'a.list_id')
    .select(['a.account_id', 'l.id', 'l.name'])
    .where('a.account_id', 'in', [...accountIds])
    .execute()
  return new Map(rows.map(({ account_id: account, id, name }) => [account, { id, name }]))
}
