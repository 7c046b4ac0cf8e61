/** The schemas of addresses that need no password. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { done, pool, poolInput, userNumber } from '../schemas.ts'

const whitelistInput = z.strictObject({ ip: rules.ipv4, pool })
const addInput = z.strictObject({
  ...whitelistInput.shape,
  /** The number of the proxy user that the address stands for; missing: the account itself. */
  proxy_user: userNumber.nullish(),
})
const addresses = z.array(z.string())
const whitelistEntries = z.object({
  entries: z.array(
    z.object({
      ip: z.string(),
      /** The number of the proxy user that it stands for; null: the account itself. */
      proxy_user: z.number().nullable(),
      added_at: z.string(),
      /** Null: unproven. */
      proven_at: z.string().nullable(),
      /** The time at which it is removed unless it is proven or used before. */
      expires_at: z.string().nullable(),
    }),
  ),
  /** The addresses removed in the last week other than by the customer. */
  lost: z.array(z.object({ ip: z.string(), reason: z.enum(['taken', 'unproven']), lost_at: z.string() })),
})

export const whitelistSchemas = {
  get_whitelist_ips: { input: poolInput, output: addresses },
  get_whitelist_entries: { input: poolInput, output: whitelistEntries },
  add_ip_to_whitelist: { input: addInput, output: done },
  remove_ip_from_whitelist: { input: whitelistInput, output: done },
} as const
