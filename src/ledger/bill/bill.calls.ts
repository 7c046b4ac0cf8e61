import type { billWire } from '#contract/bill/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { billLines } from './read.ts'

/** The call for a customer's bill, line by line. */
export const billCalls = {
  get_bill: async ({ after = 0, limit = 1000 }, context) => {
    const asked = { accountId: callerOf(context).id, after: BigInt(after), limit }
    const { lines, count, head } = await context.database.read((db) => billLines(db, asked))
    return { lines, count: Number(count), head }
  },
} satisfies HandlersOf<typeof billWire>
