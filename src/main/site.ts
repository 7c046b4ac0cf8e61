/** The pools and the gateway of the shop in the answer of `site`. */
import { basePrices } from '#catalog'
import { regions } from '#contract/proxy-lines'
import { type Pool, pools } from '#contract/wire'
import type { Db } from '#db'
import { entryPort } from '#proxies/calls'
import { readShopSettings } from '#settings'
import type { Settings } from './settings/settings.ts'

/** The pools with a price, and the others where the shop announces them. */
export const shownPoolsOf =
  ({ pinned }: Pick<Settings, 'pinned'>) =>
  async (db: Db) => {
    const prices = await basePrices(db)
    const sold = pools.filter((pool) => prices.has(pool))
    const others = pools.filter((pool) => !prices.has(pool))
    // The setting is about unsold pools only.
    if (others.length === 0) return { sold, soon: [] }
    const shop = await readShopSettings(db, pinned)
    return { sold, soon: shop.unsold_pools_soon === 1n ? others : [] }
  }

/** The host names of lines: the default one, and those of regions. */
export function entriesOf({ gateway: { host, hosts, portBase } }: Settings) {
  const ports = pools.map((pool) => [pool, entryPort(portBase, pool)] as const)
  return {
    host,
    ports: Object.fromEntries(ports) as Record<Pool, number>,
    regions: regions.filter((region) => hosts.has(region)),
  }
}
