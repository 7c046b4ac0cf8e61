/** The calls for the notices of a customer. */
import type { Output } from '#contract/contract'
import { noticeKinds, noticeWays } from '#contract/account-rules'
import type { noticesWire } from '#contract/customer-notices/calls'
import { transaction } from '#db'
import { callerOf, type HandlersOf } from '#db/call'
import { chooseNotice, type NoticeSettings, noticeSettings, setThreshold } from './customer-notices.ts'

export const noticesCalls = {
  get_notices: async (_input, context) =>
    answerOf(await noticeSettings(context.database.db, callerOf(context).id)),
  set_notices: async ({ below_bytes: below, ...changes }, context) => {
    const { id } = callerOf(context)
    return transaction(context.database.db, async (tx) => {
      for (const kind of noticeKinds)
        for (const via of noticeWays) {
          const isOn = changes[kind]?.[via]
          if (isOn !== undefined) await chooseNotice(tx, id, { kind, via, isOn })
        }
      if (below !== undefined) await setThreshold(tx, id, below === null ? null : BigInt(below))
      return answerOf(await noticeSettings(tx, id))
    })
  },
} satisfies HandlersOf<typeof noticesWire>

const answerOf = ({ choices, thresholdBytes }: NoticeSettings): Output<'get_notices'> => ({
  ...choices,
  below_bytes: thresholdBytes === null ? null : Number(thresholdBytes),
})
