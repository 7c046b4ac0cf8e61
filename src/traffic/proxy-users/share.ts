/** How many bytes the limits of a proxy user leave. The caller subtracts bytes on lease. */
import { sql, type Transaction } from 'kysely'
import { databaseTime, type DB } from '#db'
import type { UserLimit } from '#feed'
import { payerOf } from '#feed/user.ids'
import { most } from '#lib/bigint'
import { dayIn } from '#lib/zone'
import { bigintArray } from '#lib/pg-array'
import { type ProxyUser, usersById } from '#proxy-users'

/** A time, and the zone whose days and months limits apply to. Default: the database's time, UTC. */
export interface LimitTime {
  now?: Date | undefined
  zone?: string | undefined
  /** The bytes were relayed already, so it does not matter if the proxy user is frozen or expired by now. */
  isSpent?: boolean
}

export interface UserShare {
  /** Null: the proxy user has no byte limit. */
  leftBytes: bigint | null
  /** The limit that leaves the fewest bytes. */
  limit: UserLimit
}

/** The bytes charged to a proxy user: in all, and in the current day and month. */
export interface UserUse {
  totalBytes: bigint
  dayBytes: bigint
  monthBytes: bigint
}

const isUnlimited = ({ totalBytes, dayBytes, monthBytes }: ProxyUser) =>
  totalBytes === null && dayBytes === null && monthBytes === null

/**
 * The shares of proxy users of one access. The caller holds the lock of its meter, so that they get no other
 * lease meanwhile. Unknown proxy users have no bytes.
 */
export async function sharesOf(
  tx: Transaction<DB>,
  ids: readonly bigint[],
  { now, zone = 'UTC', isSpent = false }: LimitTime,
): Promise<(id: bigint) => UserShare> {
  const users = await usersById(tx, ids)
  const at = now ?? (await databaseTime(tx))
  const limited = [...users.values()].filter((user) => !isUnlimited(user)).map(({ id }) => id)
  const used = await usedBy(tx, limited, dayIn(zone, at))
  return (id) => {
    const user = users.get(id)
    if (user === undefined || (!isSpent && isOff(user, at))) return { leftBytes: 0n, limit: 'user_off' }
    return shareIn(user, used.get(id) ?? nothingUsed)
  }
}

const nothingUsed: UserUse = { totalBytes: 0n, dayBytes: 0n, monthBytes: 0n }

function shareIn({ totalBytes, dayBytes, monthBytes }: ProxyUser, used: UserUse): UserShare {
  const limits = [
    ['user_total', totalBytes, used.totalBytes],
    ['user_month', monthBytes, used.monthBytes],
    ['user_day', dayBytes, used.dayBytes],
  ] as const
  let share: UserShare = { leftBytes: null, limit: 'user_total' }
  for (const [limit, bytes, charged] of limits) {
    if (bytes === null) continue
    const leftBytes = most(bytes - charged, 0n)
    if (share.leftBytes === null || leftBytes < share.leftBytes) share = { leftBytes, limit }
  }
  return share
}

const isOff = ({ deletedAt, frozenAt, expiresAt }: ProxyUser, at: Date) =>
  deletedAt !== null || frozenAt !== null || (expiresAt !== null && expiresAt <= at)

async function usedBy(
  tx: Transaction<DB>,
  ids: readonly bigint[],
  today: string,
): Promise<Map<bigint, UserUse>> {
  if (ids.length === 0) return new Map()
  // A gateway whose clock is ahead may have reported bytes of tomorrow: they count today too.
  const { rows } = await sql<UserUse & { id: bigint }>`
    select u.proxy_user_id as id, u.charged_bytes as "totalBytes",
      coalesce(d.day_bytes, 0)::bigint as "dayBytes", coalesce(d.month_bytes, 0)::bigint as "monthBytes"
    from proxy_user_use u left join lateral (
      select sum(charged_bytes) filter (where day >= ${today}::date) as day_bytes, sum(charged_bytes) as month_bytes
      from proxy_user_day d where d.proxy_user_id = u.proxy_user_id and d.day >= ${`${today.slice(0, 7)}-01`}::date
    ) d on true
    where u.proxy_user_id = any(${bigintArray(ids)}::bigint[])`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Stands for the bytes of a proxy user without a limit. Sums of many such values do not overflow. */
export const noLimit = 2n ** 52n

/**
 * How many bytes the limits of a proxy user leave beyond its open leases: the maximum charge for bytes that
 * are reported after their lease was closed.
 */
export async function freeOfUser(tx: Transaction<DB>, id: bigint, zone: string): Promise<bigint> {
  const { leftBytes } = (await sharesOf(tx, [id], { zone, isSpent: true }))(id)
  if (leftBytes === null) return noLimit
  const { rows } = await sql<{ leased: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as leased from lease
    where access_id = ${payerOf(id)} and proxy_user_id = ${id} and closed_at is null`.execute(tx)
  return most(leftBytes - (rows[0]?.leased ?? 0n), 0n)
}
