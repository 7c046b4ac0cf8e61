import type { billWire } from '#contract/bill/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { Refusal } from '#lib/refusal'
import { billLines } from './read.ts'
import { billProof, billRoots } from './roots.ts'

/** The calls for a customer's bill, line by line, and for the roots of days over all bills. */
export const billCalls = {
  get_bill: async ({ after = 0, limit = 1000 }, context) => {
    const asked = { accountId: callerOf(context).id, after: BigInt(after), limit }
    const { lines, count, head } = await context.database.read((db) => billLines(db, asked))
    return { lines, count: Number(count), head }
  },
  get_bill_proof: async ({ day = null }, context) => {
    const asked = { accountId: callerOf(context).id, day }
    const proof = await context.database.read((db) => billProof(db, asked))
    if (proof === null) throw new Refusal('bill_proof_not_found')
    return proof
  },
  bill_roots: (_input, context) => context.database.read((db) => billRoots(db)),
} satisfies HandlersOf<typeof billWire>
