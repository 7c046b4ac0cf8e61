/**
 * The rows below the margin: all that was ever earned, and what is paid but not used yet, next to the
 * ledger's figures.
 */
import type { Kysely } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import { type DB, inSnapshot } from '#db'
import { houseEver } from '#ledger'
import { earnedEver, type MarginSum } from '#margin'
import type { LotMoney } from '#purchase'
import { owedByAll } from '#referral'
import { amount } from '../lists/page.ts'

type Foot = Pick<DeskOutput<'margin_report'>, 'foot' | 'agrees'>

const nothing = {
  name: null,
  charged_bytes: null,
  bonus_bytes: null,
  relayed_bytes: null,
  revenue_micros: null,
  fee_micros: null,
  share_micros: null,
  earned_micros: null,
  cost_micros: null,
  free_cost_micros: null,
  margin_micros: null,
  uncosted_bytes: null,
}

export const shownMargin = (sum: MarginSum) => ({
  charged_bytes: amount(sum.chargedBytes),
  bonus_bytes: amount(sum.bonusBytes),
  relayed_bytes: amount(sum.relayedBytes),
  revenue_micros: amount(sum.revenueMicros),
  fee_micros: amount(sum.feeMicros),
  share_micros: amount(sum.shareMicros),
  earned_micros: amount(sum.earnedMicros),
  cost_micros: amount(sum.costMicros),
  free_cost_micros: amount(sum.freeCostMicros),
  margin_micros: amount(sum.marginMicros),
  uncosted_bytes: amount(sum.uncostedBytes),
})

const shownMoney = ({ micros, feeMicros, shareMicros }: LotMoney) => ({
  revenue_micros: amount(micros),
  fee_micros: amount(feeMicros),
  share_micros: amount(shareMicros),
})

const plus = (a: LotMoney, b: LotMoney, times = 1n): LotMoney => ({
  micros: a.micros + times * b.micros,
  feeMicros: a.feeMicros + times * b.feeMicros,
  shareMicros: a.shareMicros + times * b.shareMicros,
})

/** Kinds of transactions by which staff move money of referral balances. */
const byStaff = new Set(['staff_gift', 'staff_taking'])
/** Test purchases are not sales. */
const tests = new Set(['test_purchase', 'test_refund'])

/**
 * The ledger's figures of all time: sales and payments from referral balances, fees and shares; and the part
 * of the shares that staff gave.
 */
async function ledgerOf(db: Kysely<DB>): Promise<{ booked: LotMoney; givenMicros: bigint }> {
  const rows = await houseEver(db)
  const sum = (account: string, isOf: (kind: string) => boolean = () => true) =>
    rows.reduce((all, row) => (row.account === account && isOf(row.kind) ? all + row.micros : all), 0n)
  return {
    booked: {
      micros: sum('referral_spent') - sum('sales', (kind) => !tests.has(kind)),
      feeMicros: sum('processor_fees'),
      shareMicros: -sum('referral_cost'),
    },
    givenMicros: -sum('referral_cost', (kind) => byStaff.has(kind)),
  }
}

/** The texts in files. */
const words = {
  equal: 'equal to the sum of the three',
  differs: 'DIFFERS FROM THE SUM OF THE THREE',
}

/** The sum of the report's rows, and the comparison. */
export function marginFoot(db: Kysely<DB>, total: MarginSum): Promise<Foot> {
  return inSnapshot(db, async (tx) => {
    const { earned, unused, others } = await earnedEver(tx)
    const { booked, givenMicros } = await ledgerOf(tx)
    // Shares that were taken back and had been spent are owed: the ledger keeps them as a cost until they are
    // paid.
    const { owedMicros, paidByGiftsMicros } = await owedByAll(tx)
    const shareMicros = others.shareMicros + givenMicros + owedMicros + paidByGiftsMicros
    const other = { ...others, shareMicros }
    const difference = plus(booked, plus(plus(earned, unused), other), -1n)
    const isEqual = Object.values(difference).every((micros) => micros === 0n)
    const agrees = isEqual ? 'equal' : 'differs'
    return {
      foot: [
        { ...nothing, key: 'total', ...shownMargin(total) },
        { ...nothing, key: 'earned', ...shownMoney(earned) },
        { ...nothing, key: 'unused', ...shownMoney(unused) },
        { ...nothing, key: 'other', ...shownMoney(other) },
        { ...nothing, key: 'ledger', name: words[agrees], ...shownMoney(booked) },
        ...(isEqual ? [] : [{ ...nothing, key: 'difference', ...shownMoney(difference) }]),
      ],
      agrees,
    }
  })
}
