/** Traffic reserved for proxy users. `#traffic` implements it and is passed in: it depends on this slice. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray } from '#lib/pg-array'
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
  /** What is left of the reserves of proxy users of an access, by their ids, under the lock. */
  left: (
    tx: Transaction<DB>,
    accessId: bigint,
    ids: readonly bigint[],
  ) => Promise<ReadonlyMap<bigint, ReserveLeft>>
  /**
   * Moves bytes from the free traffic of an access to its reserved traffic; negative: back. `reference`: the id
   * of a change. Refuses with `reserve_not_covered`.
   */
  move: (tx: Transaction<DB>, moving: { accessId: bigint; bytes: bigint; reference: string }) => Promise<void>
}

/**
 * Returns the reserves of deleted proxy users to their access, except bytes on lease. Marks those that have
 * any, and a job returns them later. The caller holds the lock of the reserve.
 */
export async function closeReserves(
  tx: Transaction<DB>,
  { reserve, accessId }: { reserve: Reserve; accessId: bigint },
  users: readonly ProxyUser[],
): Promise<void> {
  const reserved = users.filter(({ isReserved }) => isReserved)
  if (reserved.length === 0) return
  const left = await reserve.left(
    tx,
    accessId,
    reserved.map(({ id }) => id),
  )
  const holding = reserved.filter(({ id }) => (left.get(id)?.held ?? 0n) > 0n).map(({ id }) => id)
  await sql`update proxy_user set holds_reserve = true where id = any(${bigintArray(holding)}::bigint[])`.execute(
    tx,
  )
  const freed = reserved.flatMap(({ id, nr }) => {
    const { free } = left.get(id) ?? { free: 0n }
    return free > 0n ? [{ accessId, nr, bytes: -free }] : []
  })
  if (freed.length === 0) return
  const [change] = await addToTotals(tx, freed)
  const bytes = freed.reduce((sum, one) => sum + one.bytes, 0n)
  await reserve.move(tx, { accessId, bytes, reference: String(change) })
}
