/** The whitelist's calls. */
import type { Kysely } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { callerOf, type Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { addAddress, addressesOf, readAddress, removeAddress } from './whitelist.ts'

export interface WhitelistDeps {
  /** Whether anything is left to spend in the pool. */
  hasTraffic: (db: Kysely<DB>, accountId: bigint, pool: Pool) => Promise<boolean>
}

export function whitelistCalls({ hasTraffic }: WhitelistDeps) {
  return {
    get_whitelist_ips: ({ pool }, context) =>
      addressesOf(context.database.db, { accountId: callerOf(context).id, pool }),
    add_ip_to_whitelist: async ({ ip, pool }, context) => {
      const { db } = context.database
      const accountId = callerOf(context).id
      // What is no address is said first, whatever the balance.
      const address = readAddress(ip)
      if (!(await hasTraffic(db, accountId, pool))) throw new Refusal('no_pool_access')
      await addAddress(db, { accountId, pool }, address)
      return true
    },
    remove_ip_from_whitelist: async ({ ip, pool }, context) => {
      await removeAddress(context.database.db, { accountId: callerOf(context).id, pool }, ip)
      return true
    },
  } satisfies Partial<Handlers>
}
