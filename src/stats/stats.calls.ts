import { trafficToWire } from '#contract/traffic'
import { placesInLastHour } from '#exits'
import { hasRequests, medianConnect } from '#requests'
import type { Kysely } from 'kysely'
import type { statsWire } from '#contract/stats/calls'
import type { DB } from '#db'
import { callerOf, type HandlersOf } from '#db/call'
import { activityOf, hasUsed } from '#traffic'
import { overviewOf } from './overview.ts'
import { statistic } from './stats.ts'
import { usageCalls } from './usage.calls.ts'

/** A week. */
const hoursOfActivity = 168

/**
 * Records are deleted some days after their requests, so the books are used to see whether a customer was
 * ever charged.
 */
const hasAnyRequests = async (db: Kysely<DB>, asked: { accountId: bigint; now: Date }) =>
  (await hasUsed(db, asked)) || hasRequests(db, asked.accountId)

/**
 * The calls of the statistics tab (the days of a period, and their total, of one pool), of usage in any
 * period and of the overview.
 */
export const statsCalls = {
  ...usageCalls,
  get_overview: async (_input, context) => {
    const asked = { accountId: callerOf(context).id, now: context.now() }
    const { pools, hours, day } = await context.database.read((db) => overviewOf(db, asked))
    return {
      pools: pools.map(({ pool, usedBytes, hoursLeft }) => ({
        pool,
        used_bytes: Number(usedBytes),
        hours_left: hoursLeft,
      })),
      hours: hours.map(({ hour, usedBytes, requests }) => ({
        hour,
        used_bytes: Number(usedBytes),
        requests: Number(requests),
      })),
      requests: { counted: day.counted, done: day.done, refused: day.refused, is_capped: day.isCapped },
      refusals: day.refusals.map(({ code, requests, lastAt, lastId, lastPool, lastTarget }) => ({
        code,
        requests,
        last_at: lastAt.toISOString(),
        last_id: lastId,
        pool: lastPool,
        target: lastTarget,
      })),
      has_requests: day.counted > 0 || (await context.database.read((db) => hasAnyRequests(db, asked))),
    }
  },
  get_activity: async ({ pool }, context) => {
    const asked = { accountId: callerOf(context).id, pool, now: context.now(), hours: hoursOfActivity }
    const { minutes, hours } = await context.database.read((db) => activityOf(db, asked))
    return {
      minutes: minutes.map(({ minute, chargedBytes, requests, open }) => ({
        minute,
        charged_bytes: Number(chargedBytes),
        requests: Number(requests),
        open: Number(open),
      })),
      hours: hours.map(({ hour, open, requests }) => ({
        hour,
        open: Number(open),
        requests: Number(requests),
      })),
    }
  },
  get_last_hour: async ({ pool, countries }, { database, now }) => {
    const asked = { pool, countries: (countries ?? []).map((code) => code.toLowerCase()), now: now() }
    return await database.read(async (db) => {
      const { attempted, reached } = await placesInLastHour(db, asked)
      const medianMs = await medianConnect(db, asked)
      return { attempted: Number(attempted), reached: Number(reached), median_ms: medianMs }
    })
  },
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
} satisfies HandlersOf<typeof statsWire>
