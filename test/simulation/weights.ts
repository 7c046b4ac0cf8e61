/** The frequencies of the acts of a seed: seeds differ, and some do only a few things. */
import type { Dice } from './dice.ts'

const usual = {
  order: 14,
  pay: 20,
  again: 6,
  replay: 4,
  spendShares: 5,
  spendMoney: 16,
  redeem: 2,
  spend: 24,
  poll: 4,
  topUp: 10,
  charged: 4,
}
const rare = {
  refund: 5,
  refundMoney: 24,
  delay: 2,
  decide: 6,
  returns: 26,
  disputeReserved: 32,
  expire: 2,
  kill: 2,
  start: 5,
  disk: 1,
  giveUp: 0.6,
  clock: 1,
  downtime: 0.3,
  keep: 3,
  decline: 3,
  confirm: 2,
  refuse: 0.3,
}
const ofResellers = { sell: 5, spendUser: 12, give: 5, take: 3, remove: 2, returnReserves: 2 }
const ofLogins = { program: 30 }

export type ActName =
  | keyof typeof usual
  | keyof typeof rare
  | keyof typeof ofResellers
  | keyof typeof ofLogins

export function weightsOf(dice: Dice): Record<ActName, number> {
  const often = dice.percent(20) ? 3 : 1
  const sold = Object.entries({ ...ofResellers, ...ofLogins }).map(
    ([name, weight]) => [name, weight * often] as const,
  )
  const all = [...Object.entries({ ...usual, ...rare }), ...sold]
  return Object.fromEntries(
    all.map(([name, weight]) => [
      name,
      name !== 'again' && dice.percent(15) ? 0 : weight * (0.3 + dice.next()),
    ]),
  ) as Record<ActName, number>
}
