/** Bytes on open leases of an access, which count towards its caps. Read under the lock of its meter. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'

/** The bytes on open leases of the access's own balance. */
export async function leasedOfBalance(tx: Transaction<DB>, accessId: bigint): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as bytes from lease
    where access_id = ${accessId} and proxy_user_id is null and closed_at is null`.execute(tx)
  return rows[0]?.bytes ?? 0n
}

/** The bytes on open leases of the reserves of its proxy users. */
export async function leasedOfReserves(tx: Transaction<DB>, accessId: bigint): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint as bytes from lease
    where access_id = ${accessId} and closed_at is null and proxy_user_id is not null
      and (proxy_user_id >> 33) & 1 = 1`.execute(tx)
  return rows[0]?.bytes ?? 0n
}
