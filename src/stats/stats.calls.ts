import { trafficToWire } from '#contract/traffic'
import { callerOf, type Handlers } from '#db/call'
import { statistic } from './stats.ts'

/** The call of the statistics tab: the days of a period, and their total, of one pool. */
export const statsCalls = {
  legacy_get_statistic: async ({ pool, period }, context) => {
    const accountId = callerOf(context).id
    const asked = { accountId, pool, period, now: context.now() }
    const { days, total } = await context.database.read((db) => statistic(db, asked))
    return {
      usage: days.map((day) => ({
        d_usage: day.day,
        traffic: trafficToWire(day.chargedBytes),
        extra_traffic: trafficToWire(day.bonusBytes),
        request: Number(day.requests),
      })),
      total: { traffic: trafficToWire(total.chargedBytes), extra_traffic: trafficToWire(total.bonusBytes) },
    }
  },
} satisfies Partial<Handlers>
