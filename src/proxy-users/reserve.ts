/** Traffic reserved for proxy users. `#traffic` implements it and is passed in: it depends on this slice. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { addToTotals } from './changes.ts'
import type { ProxyUser } from './rows.ts'

/** What is left of a reserve: bytes that gateways may still need, and free ones. */
export interface ReserveLeft {
  free: bigint
  /** On open leases. */
  held: bigint
}

/** Operations on reserved traffic. */
export interface Reserve {
  /** Locks the traffic of an access: to be called before the access and its proxy users are locked. */
  lock: (tx: Transaction<DB>, accessId: bigint) => Promise<void>
  /** What is left of the reserve of a proxy user, under the lock. */
  left: (tx: Transaction<DB>, user: ProxyUser) => Promise<ReserveLeft>
  /**
   * Moves bytes from the free traffic of an access to its reserved traffic; negative: back. `reference`: the id
   * of a change. Refuses with `reserve_not_covered`.
   */
  move: (tx: Transaction<DB>, moving: { accessId: bigint; bytes: bigint; reference: string }) => Promise<void>
}

/**
 * Returns the reserve of a deleted proxy user to its access, except bytes on lease. If there are any, marks
 * the proxy user, and a job returns them later. The caller holds the lock of the reserve.
 */
export async function closeReserve(tx: Transaction<DB>, reserve: Reserve, user: ProxyUser): Promise<void> {
  const { id, accessId, nr } = user
  const { free, held } = await reserve.left(tx, user)
  await sql`update proxy_user set holds_reserve = ${held > 0n} where id = ${id}`.execute(tx)
  if (free === 0n) return
  const [change] = await addToTotals(tx, [{ accessId, nr, bytes: -free }])
  await reserve.move(tx, { accessId, bytes: -free, reference: String(change) })
}
