/** The payment methods that staff have stopped offering. They stay connected: what is open at them is settled. */
import type { Kysely } from 'kysely'
import { offerSetting, switchedMethods } from '#contract/desk/shop-settings'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { readShopSettings, type ShopSettings } from '#settings'

/** The methods that these settings do not offer. */
export const withdrawnIn = (shop: ShopSettings): ReadonlySet<string> =>
  new Set(switchedMethods.filter((method) => shop[offerSetting(method)] === 0n))

/** The methods that are currently not offered. No variable of the environment has the same meaning. */
export const withdrawnMethods = async (db: Kysely<DB>): Promise<ReadonlySet<string>> =>
  withdrawnIn(await readShopSettings(db, {}))

/** Refuses with `payment_method_not_offered` a method that staff have stopped offering. */
export async function refuseWithdrawn(db: Kysely<DB>, method: string): Promise<void> {
  if ((await withdrawnMethods(db)).has(method)) throw new Refusal('payment_method_not_offered')
}
