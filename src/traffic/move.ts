/** Bought traffic that moves from one customer's pool to another pool, or to the same pool of another customer. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { balancesById, customer, house, type Occasion, post } from '#ledger'
import { least, most } from '#lib/bigint'
import { lockMeters } from './lease.ts'
import { notifyGateways } from './notify.ts'
import { noteCredited } from './traffic.ts'

interface Side {
  accountId: bigint
  pool: string
  bytes: bigint
}

/** A move; `from` has a meter if it ever had traffic, `to` must have one. */
export interface Moving extends Occasion {
  from: Side
  to: Side & { subuserId: bigint }
}

/**
 * Moves paid traffic in one ledger transaction. Returns null when it was moved, or else how much could be: bytes on lease, which may
 * have been relayed already, are never moved.
 */
export async function moveTraffic(
  tx: Transaction<DB>,
  { from, to, kind, reference }: Moving,
): Promise<bigint | null> {
  const { rows } = await sql<{ subuser_id: bigint }>`
    select subuser_id from meter where account_id = ${from.accountId} and pool = ${from.pool}`.execute(tx)
  const giver = rows[0]?.subuser_id
  if (giver === undefined) return 0n
  // Both meters at once, in their order: of two moves in opposite directions neither waits for the other with a lock in hand.
  await lockMeters(tx, [giver, to.subuserId])
  const free = await movableBytes(tx, giver)
  if (free < from.bytes) return free
  const isSame = from.pool === to.pool
  await post(tx, {
    kind,
    reference,
    postings: [
      { account: customer.trafficPaid(from.accountId, from.pool), amount: -from.bytes },
      { account: customer.trafficPaid(to.accountId, to.pool), amount: to.bytes },
      ...(isSame
        ? []
        : [
            { account: house.trafficSold(from.pool), amount: from.bytes },
            { account: house.trafficSold(to.pool), amount: -to.bytes },
          ]),
    ],
  })
  await noteCredited(tx, to.subuserId)
  await notifyGateways(tx, { type: 'lease_recalled', subuser: giver })
  return null
}

/** The paid bytes that no lease may need; exact until the end of the transaction where the meter is locked. */
async function movableBytes(db: Kysely<DB>, subuserId: bigint): Promise<bigint> {
  const { rows } = await sql<{ bonus_account: bigint; paid_account: bigint; promised: bigint }>`
    select m.bonus_account, m.paid_account, (
      select coalesce(sum(granted_bytes - charged_bytes), 0)::bigint from lease
      where subuser_id = m.subuser_id and closed_at is null) as promised
    from meter m where subuser_id = ${subuserId}`.execute(db)
  const [meter] = rows
  if (meter === undefined) return 0n
  const balances = await balancesById(db, [meter.bonus_account, meter.paid_account])
  const paid = balances.get(meter.paid_account) ?? 0n
  const free = paid + (balances.get(meter.bonus_account) ?? 0n) - meter.promised
  return most(0n, least(free, paid))
}

/** What a customer could move now, by pool; pools without a credit are left out. */
export async function movableOf(db: Kysely<DB>, accountId: bigint): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ subuser_id: bigint; pool: string }>`
    select subuser_id, pool from meter where account_id = ${accountId}`.execute(db)
  const movable = new Map<string, bigint>()
  for (const { subuser_id, pool } of rows) movable.set(pool, await movableBytes(db, subuser_id))
  return movable
}
