/** The whitelist's calls. */
import type { whitelistWire } from '#contract/whitelist/calls'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { canonicalIp } from '#lib/ip'
import { Refusal } from '#lib/refusal'
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
        entries: entries.map(({ address, claimedAt, provenAt, expiresAt }) => ({
          ip: address,
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
    add_ip_to_whitelist: async ({ ip, pool }, context) => {
      const { db } = context.database
      const accountId = callerOf(context).id
      // An invalid address is refused first, whatever the balance.
      const address = readAddress(ip, isListable)
      if (!(await hasTraffic(db, accountId, pool))) throw new Refusal('no_pool_access')
      const asked = { from: addressOf(context), now: context.now() }
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
