import type { referralWire } from '#contract/referral/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { usdToWire } from '#lib/money'
import { earningsByDay } from './earnings.ts'
import { type PayoutDeps, payoutCalls } from './payouts.calls.ts'
import { referralInfo } from './referral.ts'

export interface ReferralDeps extends PayoutDeps {
  publicUrl: URL
  /** The bot's user name at Telegram, without the @; null: there is no bot. */
  telegramBot: string | null
}

/** The calls of the referral tab: legacy_referal_info, referral_earnings and those of payouts. */
export function referralCalls({ publicUrl, telegramBot, payoutRules }: ReferralDeps) {
  return {
    ...payoutCalls({ payoutRules }),
    legacy_referal_info: async (_input, context) => {
      const info = await referralInfo(context.database.db, callerOf(context).id)
      return [
        {
          balance: usdToWire(info.balanceMicros),
          ref_num: Number(info.invited),
          percent: info.sharePpm / 1e6,
          links: {
            website: `${publicUrl.origin}/?ref=${info.refCode}`,
            telegram: telegramBot === null ? null : `https://t.me/${telegramBot}?start=${info.refCode}`,
          },
        },
      ]
    },
    referral_earnings: async ({ days }, context) => {
      const earned = await earningsByDay(context.database.db, callerOf(context).id, days, context.now())
      return earned.map(({ day, micros, payments }) => ({
        day,
        earned_usd: usdToWire(micros),
        payments: Number(payments),
      }))
    },
  } satisfies HandlersOf<typeof referralWire>
}
