import type { emailWire } from '#contract/accounts/calls'
import { callerOf, type HandlersOf } from '#db/call'
import type { Secrets } from '#lib/secret'
import type { EndPrograms } from '../signin/session.ts'
import {
  answerEmailChange,
  askEmailChange,
  cancelEmailChange,
  confirmNewEmail,
  undoEmailChange,
} from './email.ts'

/** The calls for another e-mail address. */
export function emailCalls(deps: { secrets: Secrets; endPrograms: EndPrograms }) {
  return {
    change_email: async ({ email }, context) => {
      const { id: accountId, tokenSha256 } = callerOf(context)
      const given = { accountId, tokenSha256, email, ip: context.ip }
      await askEmailChange(context.database.db, deps.secrets, given, context.now())
      return true
    },
    cancel_email_change: async (_input, context) => {
      await cancelEmailChange(context.database.db, callerOf(context).id)
      return true
    },
    confirm_new_email: async ({ confirmation_token: token }, { database, ip, now }) => {
      const waitsUntil = await confirmNewEmail(database.db, deps.secrets, { token, ip }, now())
      return { waits_until: waitsUntil?.toISOString() ?? null }
    },
    answer_email_change: async ({ answer_token: token, agreed: isAgreed }, { database, ip, now }) => ({
      changed: await answerEmailChange(database.db, deps, { token, isAgreed, ip }, now()),
    }),
    undo_email_change: async ({ undo_token: token }, { database, ip, now }) => {
      await undoEmailChange(database.db, deps, { token, ip }, now())
      return true
    },
  } satisfies HandlersOf<typeof emailWire>
}
