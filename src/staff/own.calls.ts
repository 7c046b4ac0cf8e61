/** The desk's calls for one's own sign-in. */
import { transaction } from '#db'
import { record } from './audit.ts'
import { authorOf, type DeskContext, type DeskHandlers, memberOf } from './call.ts'
import {
  beginPasskey,
  beginTotp,
  changeOwnPassword,
  finishPasskey,
  finishTotp,
  type Own,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from './own.ts'
import { passkeysOf } from './passkey.ts'
import { recoveryCodesLeft } from './recovery.ts'
import { endSessions, sessionsOf } from './session.ts'
import { factorsOf, type SignInDeps } from './signin.ts'

const ownOf = (context: DeskContext): Own => ({ member: memberOf(context), author: authorOf(context) })

const sessionCalls = {
  my_sessions: async (_input, context) => {
    const { id, session } = memberOf(context)
    const rows = await sessionsOf(context.database.db, id, context.now())
    return rows.map((row) => ({
      id: String(row.id),
      created_at: row.created_at.toISOString(),
      used_at: row.used_at.toISOString(),
      ip: row.ip,
      user_agent: row.user_agent,
      current: row.id === session.id,
    }))
  },
  end_my_session: async (input, context) => {
    const { id, session } = memberOf(context)
    const which = input.id === undefined ? { except: session.id } : { only: BigInt(input.id) }
    const ended = await transaction(context.database.db, async (tx) => {
      const count = await endSessions(tx, id, which)
      const subject = { kind: 'staff', id: String(id) } as const
      const entry = { action: 'end_my_session', subject, after: { ended: count } }
      await record(tx, authorOf(context), entry, context.now())
      return count
    })
    return { ended }
  },
} satisfies Partial<DeskHandlers>

export function ownCalls(deps: SignInDeps) {
  return {
    ...sessionCalls,
    my_factors: async (_input, context) => {
      const { id } = memberOf(context)
      const { db } = context.database
      const passkeys = await passkeysOf(db, id)
      return {
        totp: (await factorsOf(db, id)).includes('totp'),
        recovery_codes_left: await recoveryCodesLeft(db, id),
        passkeys: passkeys.map((passkey) => ({
          id: String(passkey.id),
          name: passkey.name,
          created_at: passkey.created_at.toISOString(),
          used_at: passkey.used_at?.toISOString() ?? null,
          backed_up: passkey.is_backed_up,
        })),
      }
    },
    change_my_password: async ({ password }, context) => {
      await changeOwnPassword(context.database.db, ownOf(context), password, context.now())
      return true as const
    },
    totp_begin: (_input, context) => beginTotp(context.database.db, deps, memberOf(context)),
    totp_finish: async ({ code }, context) => ({
      recovery_codes: await finishTotp(context.database.db, deps, ownOf(context), code, context.now()),
    }),
    remove_totp: async (_input, context) => {
      await removeTotp(context.database.db, ownOf(context), context.now())
      return true as const
    },
    passkey_begin: async (_input, context) => ({
      options: await beginPasskey(context.database.db, deps, memberOf(context), context.now()),
    }),
    passkey_finish: async (input, context) => ({
      recovery_codes: await finishPasskey(context.database.db, deps, ownOf(context), input, context.now()),
    }),
    remove_passkey: async ({ id }, context) => {
      await removePasskey(context.database.db, ownOf(context), BigInt(id), context.now())
      return true as const
    },
    new_recovery_codes: async (_input, context) => ({
      recovery_codes: await renewRecoveryCodes(context.database.db, ownOf(context), context.now()),
    }),
  } satisfies Partial<DeskHandlers>
}
