/** The calls of customers about their own data: its export, and the request to erase it. */
import {
  askForErasure,
  countAttempt,
  downloadLimits,
  erasureAskedAt,
  issueToken,
  noteErasureRequest,
  proveOwner,
} from '#accounts'
import { personalDataPath } from '#contract/wire'
import type { personWire } from '#contract/personal-data/calls'
import { transaction } from '#db'
import { callerOf, type HandlersOf } from '#db/call'

export const personCalls = {
  personal_data: async (_input, context) => {
    const askedAt = await erasureAskedAt(context.database.db, callerOf(context).id)
    return { erasure_requested_at: askedAt?.toISOString() ?? null }
  },
  export_personal_data: async ({ password = null }, context) => {
    const { db } = context.database
    const { id: accountId, tokenSha256 } = callerOf(context)
    const now = context.now()
    await proveOwner(db, { accountId, tokenSha256, password }, now)
    await countAttempt(db, downloadLimits(accountId), now)
    const { token, expiresAt } = await issueToken(db, { kind: 'download_data', accountId, from: now })
    return { url: `${personalDataPath}?token=${token}`, expires_at: expiresAt.toISOString() }
  },
  request_erasure: async ({ password = null }, context) => {
    const { db } = context.database
    const { id: accountId, tokenSha256 } = callerOf(context)
    const now = context.now()
    await proveOwner(db, { accountId, tokenSha256, password }, now)
    await transaction(db, (tx) => askForErasure(tx, accountId, now))
    return { erasure_requested_at: (await erasureAskedAt(db, accountId))?.toISOString() ?? null }
  },
  withdraw_erasure: async (_input, context) => {
    await noteErasureRequest(context.database.db, callerOf(context).id, null)
    return { erasure_requested_at: null }
  },
} satisfies HandlersOf<typeof personWire>
