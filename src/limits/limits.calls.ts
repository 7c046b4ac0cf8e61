/** The calls for a pool's limits. */
import type { Kysely } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import type { Pool } from '#contract/wire'
import type { limitsWire } from '#contract/limits/calls'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import { findAccess } from '#proxies'
import { changeLimits, limitsOf, noLimits, type PoolLimits, readHosts } from './limits.ts'
import { raiseDay, raisedDay } from './raise.ts'

/** The bytes charged so far in the current UTC hour, day and month. */
interface Used {
  hourBytes: bigint
  dayBytes: bigint
  monthBytes: bigint
}

export interface LimitsDeps {
  /**
   * The bytes charged to an access in the current windows. Passed in, since the traffic slice depends on this
   * one.
   */
  usedInWindows: (db: Kysely<DB>, key: { accessId: bigint; now: Date }) => Promise<Used>
  /** Makes gateways return their leases, so that a new cap takes effect at once. */
  recallLeases: (db: Kysely<DB>, accessId: bigint) => Promise<void>
}

export function limitsCalls(deps: LimitsDeps) {
  const shown = async (context: Context, pool: Pool, { id }: { id: bigint }) => {
    const { db } = context.database
    const limits = (await limitsOf(db, id)) ?? noLimits
    const key = { accessId: id, now: context.now() }
    const [used, today] = [await deps.usedInWindows(db, key), await raisedDay(db, key)]
    return answerOf(pool, { ...limits, raisedDayBytes: today === limits.dayBytes ? null : today }, used)
  }
  return {
    get_pool_limits: async ({ pool }, context) => shown(context, pool, await accessOf(context, pool)),
    set_pool_limits: async (input, context) => {
      const changes = changesOf(input)
      const access = await accessOf(context, input.pool)
      await transaction(context.database.db, async (tx) => {
        await changeLimits(tx, access, changes)
        await deps.recallLeases(tx, access.id)
      })
      return shown(context, input.pool, access)
    },
    raise_day_cap: async ({ pool }, context) => {
      const access = await accessOf(context, pool)
      await transaction(context.database.db, async (tx) => {
        if ((await raiseDay(tx, access, context.now())) === null) throw new Refusal('no_day_cap')
        await deps.recallLeases(tx, access.id)
      })
      return shown(context, pool, access)
    },
  } satisfies HandlersOf<typeof limitsWire>
}

async function accessOf(context: Context, pool: Pool): Promise<{ id: bigint; login: string }> {
  const key = { accountId: callerOf(context).id, pool }
  const access = await findAccess(context.database.db, key)
  if (access === null) throw new Refusal('no_subuser')
  return access
}

const bytes = (cap: number | null) => (cap === null ? null : BigInt(cap))

/** An omitted field keeps its value; null removes a cap. */
function changesOf(input: Parsed<'set_pool_limits'>): Partial<PoolLimits> {
  const { hour_bytes, day_bytes, month_bytes, connections, allowed_hosts, denied_hosts, data_saver } = input
  return {
    ...(hour_bytes === undefined ? {} : { hourBytes: bytes(hour_bytes) }),
    ...(day_bytes === undefined ? {} : { dayBytes: bytes(day_bytes) }),
    ...(month_bytes === undefined ? {} : { monthBytes: bytes(month_bytes) }),
    ...(connections === undefined ? {} : { connections }),
    ...(allowed_hosts === undefined ? {} : { allowedHosts: readHosts(allowed_hosts) }),
    ...(denied_hosts === undefined ? {} : { deniedHosts: readHosts(denied_hosts) }),
    ...(data_saver === undefined ? {} : { dataSaver: data_saver }),
  }
}

const number = (cap: bigint | null) => (cap === null ? null : Number(cap))

function answerOf(
  pool: Pool,
  limits: PoolLimits & { raisedDayBytes: bigint | null },
  used: Used,
): Output<'get_pool_limits'> {
  return {
    pool,
    hour_bytes: number(limits.hourBytes),
    day_bytes: number(limits.dayBytes),
    month_bytes: number(limits.monthBytes),
    connections: limits.connections,
    allowed_hosts: limits.allowedHosts,
    denied_hosts: limits.deniedHosts,
    data_saver: limits.dataSaver,
    raised_day_bytes: number(limits.raisedDayBytes),
    used: {
      hour_bytes: Number(used.hourBytes),
      day_bytes: Number(used.dayBytes),
      month_bytes: Number(used.monthBytes),
    },
  }
}
