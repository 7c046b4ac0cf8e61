/** The schemas of the API token. */
import { done, empty, text } from '../schemas.ts'

export const resellerSchemas = {
  reseller_token: { input: empty, output: text },
  rotate_reseller_token: { input: empty, output: text },
  revoke_reseller_token: { input: empty, output: done },
} as const
