/** The schemas of notices to customers. */
import * as z from 'zod'
import { byteCap, empty } from '../schemas.ts'

const noticeWaysOn = z.object({ email: z.boolean(), telegram: z.boolean() })
/** The amount under which a notice is sent, from 1 MB to 1 PB; null: none. */
const noticeThreshold = byteCap

/** Omitted fields stay unchanged. */
const noticesInput = z.strictObject({
  traffic: z.strictObject(noticeWaysOn.shape).partial().optional(),
  cap: z.strictObject(noticeWaysOn.shape).partial().optional(),
  topup: z.strictObject(noticeWaysOn.shape).partial().optional(),
  trouble: z.strictObject(noticeWaysOn.shape).partial().optional(),
  bill: z.strictObject(noticeWaysOn.shape).partial().optional(),
  below_bytes: noticeThreshold.optional(),
})

const notices = z.object({
  traffic: noticeWaysOn,
  cap: noticeWaysOn,
  topup: noticeWaysOn,
  trouble: noticeWaysOn,
  bill: noticeWaysOn,
  below_bytes: noticeThreshold,
})

export const noticesSchemas = {
  get_notices: { input: empty, output: notices },
  set_notices: { input: noticesInput, output: notices },
} as const
