/** The schemas of what inviters earn. */
import * as z from 'zod'
import { earningDays } from './period.ts'

export const earningsInput = z.strictObject({ days: z.literal(earningDays) })

/** Every day of the period, UTC, the earliest first; USD, less what refunds took back. */
export const earnings = z.array(z.object({ day: z.string(), earned_usd: z.number(), payments: z.number() }))
