/** What the limits of a proxy user leave it. Bytes on lease are subtracted by the caller. */
import { sql, type Transaction } from 'kysely'
import { databaseTime, type DB } from '#db'
import type { UserLimit } from '#feed'
import { payerOf } from '#feed/user.ids'
import { most } from '#lib/bigint'
import { dayIn } from '#lib/zone'
import { type ProxyUser, userById } from '#proxy-users'

/** A time, and the zone whose days and months limits apply to. Default: the database's time, UTC. */
export interface LimitTime {
  now?: Date | undefined
  zone?: string | undefined
  /** The bytes were relayed already, so it may be frozen or expired by now. */
  isSpent?: boolean
}

export interface UserShare {
  /** Null: no limit of its own. */
  leftBytes: bigint | null
  /** The limit that leaves the fewest bytes. */
  limit: UserLimit
}

/** Charged to a proxy user: in all, and in the day and the month. */
export interface UserUse {
  totalBytes: bigint
  dayBytes: bigint
  monthBytes: bigint
}

/**
 * Read under the lock of the meter, so that no other lease of the proxy user is granted meanwhile. Unknown
 * ones have nothing.
 */
export async function shareOf(
  tx: Transaction<DB>,
  id: bigint,
  { now, zone = 'UTC', isSpent = false }: LimitTime,
): Promise<UserShare> {
  const user = await userById(tx, id)
  const at = now ?? (await databaseTime(tx))
  if (user === null || (!isSpent && isOff(user, at))) return { leftBytes: 0n, limit: 'user_off' }
  const { totalBytes, dayBytes, monthBytes } = user
  if (totalBytes === null && dayBytes === null && monthBytes === null)
    return { leftBytes: null, limit: 'user_total' }
  const used = await usedBy(tx, id, dayIn(zone, at))
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

async function usedBy(tx: Transaction<DB>, id: bigint, today: string): Promise<UserUse> {
  // A gateway whose clock is ahead may have reported bytes of tomorrow: they count today too.
  const { rows } = await sql<UserUse>`
    select
      coalesce((select charged_bytes from proxy_user_use where proxy_user_id = ${id}), 0)::bigint as "totalBytes",
      coalesce(sum(charged_bytes) filter (where day >= ${today}::date), 0)::bigint as "dayBytes",
      coalesce(sum(charged_bytes), 0)::bigint as "monthBytes"
    from proxy_user_day where proxy_user_id = ${id} and day >= ${`${today.slice(0, 7)}-01`}::date`.execute(tx)
  const [used] = rows
  if (used === undefined) throw new Error('a sum came without its row')
  return used
}

const noLimit = 2n ** 62n

/**
 * What its limits leave a proxy user beyond its open leases: for bytes that are reported after their lease
 * was closed.
 */
export async function freeOfUser(tx: Transaction<DB>, id: bigint, zone: string): Promise<bigint> {
  const { leftBytes } = await shareOf(tx, id, { zone, isSpent: true })
  if (leftBytes === null) return noLimit
  const { rows } = await sql<{ leased: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as leased from lease
    where access_id = ${payerOf(id)} and proxy_user_id = ${id} and closed_at is null`.execute(tx)
  return most(leftBytes - (rows[0]?.leased ?? 0n), 0n)
}
