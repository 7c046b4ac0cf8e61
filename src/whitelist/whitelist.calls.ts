/** The whitelist's calls. */
import type { whitelistWire } from '#contract/whitelist/calls'
import type { Pool } from '#contract/wire'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { canonicalIp } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { findAccess } from '#proxies'
import { type ProxyUser, userOf } from '#proxy-users'
import {
  addAddress,
  addressesOf,
  entriesOf,
  type ListableRule,
  type LookupDeps,
  lossesOf,
  readAddress,
  removeAddress,
} from './whitelist.ts'

export interface WhitelistDeps extends LookupDeps {
  isListable: ListableRule
}

export function whitelistCalls({ hasTraffic, isListable }: WhitelistDeps) {
  return {
    get_whitelist_ips: ({ pool }, context) =>
      addressesOf(context.database.db, { accountId: callerOf(context).id, pool }),
    get_whitelist_entries: async ({ pool }, context) => {
      const { db } = context.database
      const owner = { accountId: callerOf(context).id, pool }
      const entries = await entriesOf(db, owner)
      const losses = await lossesOf(db, owner)
      return {
        entries: entries.map(({ address, claimedAt, provenAt, expiresAt, proxyUser }) => ({
          ip: address,
          proxy_user: proxyUser === null ? null : Number(proxyUser),
          added_at: claimedAt.toISOString(),
          proven_at: provenAt?.toISOString() ?? null,
          expires_at: expiresAt?.toISOString() ?? null,
        })),
        lost: losses.map(({ address, reason, lostAt }) => ({
          ip: address,
          reason,
          lost_at: lostAt.toISOString(),
        })),
      }
    },
    add_ip_to_whitelist: async ({ ip, pool, proxy_user: number }, context) => {
      const { db } = context.database
      const accountId = callerOf(context).id
      // An invalid address is refused first, whatever the balance.
      const address = readAddress(ip, isListable)
      const user = number ? await userOfPool(context, { accountId, pool, number }) : null
      const hasReserve = user?.isReserved === true
      if (!hasReserve && !(await hasTraffic(db, accountId, pool))) throw new Refusal('no_pool_access')
      const asked = { from: addressOf(context), now: context.now(), user }
      await addAddress(db, { accountId, pool }, address, asked)
      return true
    },
    remove_ip_from_whitelist: async ({ ip, pool }, context) => {
      await removeAddress(context.database.db, { accountId: callerOf(context).id, pool }, ip)
      return true
    },
  } satisfies HandlersOf<typeof whitelistWire>
}

/**
 * The address of the calling customer; null for a request of another site's page, since its visitor may not
 * be the customer.
 */
const addressOf = ({ ip, isOtherSite }: Context) => (isOtherSite ? null : canonicalIp(ip))

async function userOfPool(
  { database: { db } }: Context,
  { accountId, pool, number }: { accountId: bigint; pool: Pool; number: number },
): Promise<ProxyUser> {
  const access = await findAccess(db, { accountId, pool })
  if (access === null) throw new Refusal('no_pool_access')
  return userOf(db, { accessId: access.id, nr: BigInt(number) })
}
