/** The shop's figures of a period, for the message of the day. */
import { countNew } from '#accounts'
import type { DayFigures } from '#staff-alerts'
import type { Database } from '#db'
import { hourOf } from '#lib/zone'
import { soldByHour } from '#purchase'
import { usageBy } from '#traffic'

const hourMs = 3_600_000

/**
 * Sales and new customers of the time; usage of all hours that it touches, because usage is known by the
 * hour.
 */
export async function dayFigures(
  { db }: Pick<Database, 'db'>,
  period: { from: Date; until: Date },
): Promise<DayFigures> {
  const { from, until } = period
  const to = new Date(hourOf(until).getTime() + hourMs)
  const [sold, used, created] = await Promise.all([
    soldByHour(db, period),
    usageBy(db, { by: 'pool', from: hourOf(from), to }),
    countNew(db, period),
  ])
  return {
    sold_micros: String(sold.reduce((sum, { micros }) => sum + micros, 0n)),
    sold_bytes: String(sold.reduce((sum, { bytes }) => sum + bytes, 0n)),
    used_bytes: String(used.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0n)),
    new_customers: Number(created.reduce((sum, { value }) => sum + value, 0n)),
  }
}
