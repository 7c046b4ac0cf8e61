/** The schemas of promo codes. */
import * as z from 'zod'
import { judged } from '../texts.ts'
import * as rules from '../schemas.rules.ts'
import { fraction, pool, traffic } from '../schemas.ts'

const promocodeInfoInput = z.strictObject({
  code: judged(z.string().max(64)),
  amount: rules.amountGb,
  /** Left out: the pools of the code are judged when the order is made. */
  pool: pool.optional(),
})

const promocodeInfo = z.object({
  discount: fraction,
  expires_at: z.string().nullable(),
  max_uses: z.number().nullable(),
  uses: z.number(),
  /** An open invoice of the customer that has the code: whichever is paid first gets the discount. */
  open_invoice: z.string().optional(),
})

const trafficCodeInput = z.strictObject({ code: z.string().max(64) })
const trafficCodeOutput = z.object({ pool, traffic })

export const promoSchemas = {
  discount_promocode_info: { input: promocodeInfoInput, output: promocodeInfo },
  activate_traffic_promocode: { input: trafficCodeInput, output: trafficCodeOutput },
} as const
