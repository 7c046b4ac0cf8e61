import type { Kysely } from 'kysely'
import { actorOf, holdOf } from '#accounts'
import type { Output } from '#contract/contract'
import type { payoutsWire } from '#contract/referral/calls'
import type { DB } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { referralBalance } from '#ledger'
import { cancelPayout, type PayoutRules, payoutsOf, requestPayout } from './payouts.ts'

const listedPayouts = 50

export interface PayoutDeps {
  /** The shop's current payout terms. */
  payoutRules: (db: Kysely<DB>) => Promise<PayoutRules>
}

/** The calls of payouts: get_payouts, request_payout and cancel_payout. */
export function payoutCalls({ payoutRules }: PayoutDeps) {
  const shown = async (context: Context) => answer(context, await payoutRules(context.database.db))
  return {
    get_payouts: async (_input, context) => shown(context),
    request_payout: async ({ micros, network, wallet: address }, context) => {
      const { db } = context.database
      const { operation } = context
      const order = { ...actorOf(context), micros: BigInt(micros), network, address, operation }
      await requestPayout(db, await payoutRules(db), order, context.now())
      return shown(context)
    },
    cancel_payout: async ({ number }, context) => {
      await cancelPayout(context.database.db, { accountId: callerOf(context).id, number }, context.now())
      return shown(context)
    },
  } satisfies HandlersOf<typeof payoutsWire>
}

async function answer(
  context: Context,
  { isOn, leastMicros, networks }: PayoutRules,
): Promise<Output<'get_payouts'>> {
  const { db } = context.database
  const { id: accountId } = callerOf(context)
  const [held, balance, rows] = await Promise.all([
    holdOf(db, actorOf(context), context.now()),
    referralBalance(db, accountId),
    payoutsOf(db, accountId, listedPayouts),
  ])
  return {
    is_on: isOn,
    networks: [...networks],
    least_micros: String(leastMicros),
    balance_micros: String(balance),
    hold_until: held?.until.toISOString() ?? null,
    rows: rows.map((row) => ({
      number: row.number,
      asked_at: row.asked_at.toISOString(),
      micros: String(row.micros),
      asked_micros: String(row.asked_micros),
      network: row.network,
      wallet: row.address,
      state: row.state,
      ended_at: row.ended_at?.toISOString() ?? null,
      reference: row.reference,
      reason: row.reason,
    })),
  }
}
