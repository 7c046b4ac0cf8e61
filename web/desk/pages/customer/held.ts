/** What a customer holds, and what a member of staff may add to it in a day. */
import type { Permission } from '#contract/desk/roles'
import type { Pool } from '#contract/wire'
import type { Customer } from './types.ts'

type PoolBalance = Pick<Customer['pools'][number], 'pool' | 'paid_bytes' | 'bonus_bytes'>

/** Paid and bonus bytes together. */
export const totalOf = ({ paid_bytes: paid, bonus_bytes: bonus }: Omit<PoolBalance, 'pool'>): bigint =>
  BigInt(paid) + BigInt(bonus)

/** The bytes held in a pool, 0 where the customer never had any. */
export function heldIn(balances: readonly PoolBalance[], pool: Pool): bigint {
  const balance = balances.find((each) => each.pool === pool)
  return balance === undefined ? 0n : totalOf(balance)
}

/** Whether a daily maximum applies: only to giving, and only without the permission to adjust balances. */
export const isBoundByDay = (way: 'give' | 'take', permissions: readonly Permission[]): boolean =>
  way === 'give' && !permissions.includes('customers.adjust')
