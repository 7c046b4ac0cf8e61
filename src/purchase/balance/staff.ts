/** Money that staff put on a money balance or take off it. */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { house, type Occasion, post } from '#ledger'
import { least } from '#lib/bigint'
import { creditMoney, lockMoney, takeMoney } from './money.ts'

/** Money moved by staff. */
export type StaffMove = Pick<Occasion, 'kind' | 'reference'> & { accountId: bigint; micros: bigint }

/** Puts money on a customer's money balance; a debt is paid from it first. */
export async function giveBalance(
  tx: Transaction<DB>,
  { accountId, micros, ...occasion }: StaffMove,
): Promise<void> {
  const postings = await creditMoney(tx, { accountId, micros, from: house.moneyGiven() })
  await post(tx, { ...occasion, postings })
}

/** Takes up to `micros` off a customer's money balance and returns the amount. */
export async function takeOffBalance(
  tx: Transaction<DB>,
  { accountId, micros, ...occasion }: StaffMove,
): Promise<bigint> {
  const taken = least(micros, (await lockMoney(tx, accountId)).micros)
  const postings = await takeMoney(tx, { accountId, micros: taken, to: house.moneyGiven() })
  if (taken > 0n) await post(tx, { ...occasion, postings })
  return taken
}
