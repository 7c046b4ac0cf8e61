/**
 * The calls of the API with the schemas of their inputs and outputs, gathered from the slices.
 *
 * `wire.ts` has the declarations of the calls. The server parses inputs and outputs with these schemas; the
 * web, the bot and the tests derive their types from them.
 */
import type * as z from 'zod'
import { accountsSchemas } from './accounts/schemas.ts'
import { billSchemas } from './bill/schemas.ts'
import { catalogSchemas } from './catalog/schemas.ts'
import { contentSchemas } from './content/schemas.ts'
import { documentsSchemas } from './documents/schemas.ts'
import { inventorySchemas } from './inventory/schemas.ts'
import { limitsSchemas } from './limits/schemas.ts'
import { movesSchemas } from './moves/schemas.ts'
import { noticesSchemas } from './customer-notices/schemas.ts'
import { personSchemas } from './personal-data/schemas.ts'
import { presetsSchemas } from './presets/schemas.ts'
import { promoSchemas } from './promo/schemas.ts'
import { proxiesJson, proxiesSchemas } from './proxies/schemas.ts'
import { purchaseJson, purchaseSchemas } from './purchase/schemas.ts'
import { ratesSchemas } from './rates/schemas.ts'
import { receiptsSchemas } from './receipts/schemas.ts'
import { referralSchemas } from './referral/schemas.ts'
import { requestsSchemas } from './requests/schemas.ts'
import { resellerSchemas } from './reseller/schemas.ts'
import { securitySchemas } from './account-security/schemas.ts'
import { statsSchemas } from './stats/schemas.ts'
import { statusSchemas } from './status/schemas.ts'
import { teamSchemas } from './teams/schemas.ts'
import { topUpSchemas } from './topup/schemas.ts'
import { manyUsersJson, manyUsersSchemas } from './proxy-users/many.schemas.ts'
import { usersSchemas } from './proxy-users/schemas.ts'
import { whitelistSchemas } from './whitelist/schemas.ts'
import type { Name } from './wire.ts'

interface Schemas {
  input: z.ZodType
  output: z.ZodType
}

export const contract = {
  ...accountsSchemas,
  ...billSchemas,
  ...catalogSchemas,
  ...contentSchemas,
  ...documentsSchemas,
  ...inventorySchemas,
  ...limitsSchemas,
  ...movesSchemas,
  ...noticesSchemas,
  ...personSchemas,
  ...presetsSchemas,
  ...promoSchemas,
  ...proxiesSchemas,
  ...purchaseSchemas,
  ...ratesSchemas,
  ...receiptsSchemas,
  ...referralSchemas,
  ...requestsSchemas,
  ...resellerSchemas,
  ...securitySchemas,
  ...statsSchemas,
  ...statusSchemas,
  ...teamSchemas,
  ...topUpSchemas,
  ...manyUsersSchemas,
  ...usersSchemas,
  ...whitelistSchemas,
} as const satisfies Record<Name, Schemas>

/** The JSON answers of calls that answer with text: `Accept: application/json` chooses them. */
export const jsonOf = { ...manyUsersJson, ...proxiesJson, ...purchaseJson } as const
export type JsonName = keyof typeof jsonOf

export type { Name }
/** What a caller sends. */
export type Input<N extends Name> = z.input<(typeof contract)[N]['input']>
/** What a handler receives: the parsed input. */
export type Parsed<N extends Name> = z.output<(typeof contract)[N]['input']>
/** What a handler returns and a caller receives. */
export type Output<N extends Name> = z.output<(typeof contract)[N]['output']>
/** The JSON answer of such a call. */
export type JsonOutput<N extends JsonName> = z.output<(typeof jsonOf)[N]>
