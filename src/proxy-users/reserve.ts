/** What is reserved for proxy users. `#traffic` keeps it, and is passed in, because it depends on this slice. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { addToTotals } from './changes.ts'
import type { ProxyUser } from './rows.ts'

/** Bytes that gateways may still need, and the others. */
export interface ReserveLeft {
  free: bigint
  /** On open leases. */
  held: bigint
}

/** The ledger accounts of reserved traffic. */
export interface Reserve {
  /** Locks the traffic of an access. Before the locks of the access and its proxy users. */
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
 * Returns the reserve of a deleted proxy user to its access, but for what is on lease: then it is marked, and
 * a job returns the rest. The caller holds the lock of the reserve.
 */
export async function closeReserve(tx: Transaction<DB>, reserve: Reserve, user: ProxyUser): Promise<void> {
  const { id, accessId, nr } = user
  const { free, held } = await reserve.left(tx, user)
  await sql`update proxy_user set holds_reserve = ${held > 0n} where id = ${id}`.execute(tx)
  if (free === 0n) return
  const [change] = await addToTotals(tx, [{ accessId, nr, bytes: -free }])
  await reserve.move(tx, { accessId, bytes: -free, reference: String(change) })
}
