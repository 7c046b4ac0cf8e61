/** Meters and their locks, which serialise leases and settlements of an access. */
import { sql, type Transaction } from 'kysely'
import { type DB, prepared } from '#db'
import { bigintArray } from '#lib/pg-array'

/** The columns of a meter that a settlement needs. */
export interface Meter {
  access_id: bigint
  pool: string
  bonus_account: bigint
  paid_account: bigint
}

/** The meters, each column an array; null when there are none. */
interface MeterColumns {
  accesses: bigint[] | null
  bonus: bigint[] | null
  paid: bigint[] | null
  pools: string | null
}

const noMeters: MeterColumns = { accesses: null, bonus: null, paid: null, pools: null }

/**
 * Locks the meters of these accounts in the order of their ids, the only order in use. Unknown accounts are
 * left out.
 */
export async function lockMeters(
  tx: Transaction<DB>,
  accounts: readonly bigint[],
): Promise<Map<bigint, Meter>> {
  // As one row of arrays: twenty thousand result rows would cost more than their locks.
  const { rows } = await sql<MeterColumns>`${prepared}
    select array_agg(access_id) as accesses, array_agg(bonus_account) as bonus, array_agg(paid_account) as paid,
      string_agg(pool, ' ') as pools
    from (
      select access_id, pool, bonus_account, paid_account from meter
      where access_id = any(${bigintArray([...new Set(accounts)])}::bigint[])
      order by access_id for no key update
    ) locked`.execute(tx)
  const [{ accesses, bonus, paid, pools } = noMeters] = rows
  const poolOf = pools?.split(' ') ?? []
  const meters = new Map<bigint, Meter>()
  for (const [index, access_id] of (accesses ?? []).entries()) {
    const [bonus_account, paid_account, pool] = [bonus?.[index], paid?.[index], poolOf[index]]
    if (bonus_account === undefined || paid_account === undefined || pool === undefined)
      throw new Error('the columns of the meters are of unequal length')
    meters.set(access_id, { access_id, pool, bonus_account, paid_account })
  }
  return meters
}
