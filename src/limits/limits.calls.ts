/** The calls for a pool's limits. */
import type { Kysely } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type Handlers } from '#db/call'
import { Refusal } from '#lib/refusal'
import { findSubuser } from '#proxies'
import { changeLimits, limitsOf, noLimits, type PoolLimits, readHosts } from './limits.ts'

/** The bytes charged so far in the current UTC hour, day and month. */
interface Used {
  hourBytes: bigint
  dayBytes: bigint
  monthBytes: bigint
}

export interface LimitsDeps {
  /** The bytes charged to a subuser in the current windows. Passed in, since the traffic slice depends on this one. */
  usedInWindows: (db: Kysely<DB>, key: { subuserId: bigint; now: Date }) => Promise<Used>
  /** Makes gateways return their leases, so that a new cap takes effect at once. */
  recallLeases: (db: Kysely<DB>, subuserId: bigint) => Promise<void>
}

export function limitsCalls(deps: LimitsDeps) {
  return {
    get_pool_limits: async ({ pool }, context) => {
      const { db } = context.database
      const subuser = await subuserOf(context, pool)
      const limits = (await limitsOf(db, subuser.id)) ?? noLimits
      return answerOf(pool, limits, await deps.usedInWindows(db, usedKey(context, subuser.id)))
    },
    set_pool_limits: async (input, context) => {
      const changes = changesOf(input)
      const { db } = context.database
      const subuser = await subuserOf(context, input.pool)
      const limits = await transaction(db, async (tx) => {
        const changed = await changeLimits(tx, subuser, changes)
        await deps.recallLeases(tx, subuser.id)
        return changed
      })
      return answerOf(input.pool, limits, await deps.usedInWindows(db, usedKey(context, subuser.id)))
    },
  } satisfies Partial<Handlers>
}

const usedKey = ({ now }: Context, subuserId: bigint) => ({ subuserId, now: now() })

async function subuserOf(context: Context, pool: Pool): Promise<{ id: bigint; login: string }> {
  const key = { accountId: callerOf(context).id, pool }
  const subuser = await findSubuser(context.database.db, key)
  if (subuser === null) throw new Refusal('no_subuser')
  return subuser
}

const bytes = (cap: number | null) => (cap === null ? null : BigInt(cap))

/** A field that is left out keeps its value; null removes a cap. */
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

function answerOf(pool: Pool, limits: PoolLimits, used: Used): Output<'get_pool_limits'> {
  return {
    pool,
    hour_bytes: number(limits.hourBytes),
    day_bytes: number(limits.dayBytes),
    month_bytes: number(limits.monthBytes),
    connections: limits.connections,
    allowed_hosts: limits.allowedHosts,
    denied_hosts: limits.deniedHosts,
    data_saver: limits.dataSaver,
    used: {
      hour_bytes: Number(used.hourBytes),
      day_bytes: Number(used.dayBytes),
      month_bytes: Number(used.monthBytes),
    },
  }
}
