/** The schemas of export and erasure of personal data. */
import * as z from 'zod'
import { empty } from '../schemas.ts'

/** The account password, where the account has one. */
const ownerInput = z.strictObject({ password: z.string().max(1000).nullish() })

const personalData = z.object({
  /** When the customer asked to have their data erased; null: they did not. */
  erasure_requested_at: z.string().nullable(),
})

const personalDownload = z.object({
  /** A path of this server that gives the file once. */
  url: z.string(),
  expires_at: z.string(),
})

export const personSchemas = {
  personal_data: { input: empty, output: personalData },
  export_personal_data: { input: ownerInput, output: personalDownload },
  request_erasure: { input: ownerInput, output: personalData },
  withdraw_erasure: { input: empty, output: personalData },
} as const
