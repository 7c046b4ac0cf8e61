import type { Kysely } from 'kysely'
import type { Input } from '#contract/contract'
import { codeOfLanguage } from '#contract/language'
import type { accountsWire } from '#contract/accounts/calls'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { type DB, transaction } from '#db'
import type { Secrets } from '#lib/secret'
import { checkNew, closeSession, originOf, signIn, signUp } from './accounts.ts'
import { changeLanguage, changePassword, hasPassword } from './change.ts'
import { confirmEmail, sendConfirmation } from './confirm.ts'
import { recordConsents } from './consent/consent.ts'
import { resendConfirmation } from './desk.access.ts'
import { refuseGuessable } from './names.ts'
import { profileOf } from './profile.ts'
import { requestPasswordReset, resetPassword } from './reset.ts'
import { proofUntil } from './signin/proof.ts'
import type { EndPrograms } from './signin/session.ts'
import { countAttempt, signupLimits } from './signin/throttle.ts'

export interface AccountsDeps {
  secrets: Secrets
  endPrograms: EndPrograms
  /** The name of the shop, which no password may consist of. */
  brand: (db: Kysely<DB>) => Promise<string>
  /**
   * Called with an unknown referral code: it does not prevent the sign-up, but is logged for the operator.
   */
  noteUnknownReferral: (code: string) => void
}

/** Creates an account. */
async function registered(
  deps: AccountsDeps,
  input: Input<'signup'>,
  { database, language, ip, country, userAgent, now }: Context,
): Promise<true> {
  const { username, email, password } = checkNew(input)
  refuseGuessable(password, [username, email, await deps.brand(database.db)])
  const code = visible(input.referral_id)
  // Counted before the password is hashed, which is the expensive part of a sign-up.
  await countAttempt(database.db, signupLimits(ip), now())
  const { referralKnown } = await signUp(
    database.db,
    {
      username,
      email,
      password,
      lang: codeOfLanguage(language),
      referralCode: code,
      adminReferralCode: visible(input.admin_referral_code),
      country,
    },
    async (tx, account) => {
      const given = { accountId: account.id, way: 'site', at: now(), ip, userAgent } as const
      if (input.consents !== undefined) await recordConsents(tx, input.consents, { ...given, language })
      await sendConfirmation(tx, deps.secrets, account, now())
    },
  )
  if (!referralKnown && code !== null) deps.noteUnknownReferral(code)
  return true
}

/** The calls of accounts: sign-up, sign-in, the mailbox, the password, the profile. */
export function accountsCalls(deps: AccountsDeps) {
  return {
    signup: (input, context) => registered(deps, input, context),
    signin: ({ username, password }, context) =>
      signIn(context.database.db, { login: username, password, ...originOf(context) }, context.now()),
    signout: async (_input, context) => {
      await closeSession(context.database.db, callerOf(context).tokenSha256)
      return true
    },
    confirm_email: async ({ confirmation_token: token }, { database, ip, now }) => {
      await confirmEmail(database.db, { token, ip }, now())
      return true
    },
    resend_confirmation: async (_input, context) => {
      const { id: accountId } = callerOf(context)
      await transaction(context.database.db, (tx) =>
        resendConfirmation(tx, deps.secrets, accountId, context.now()),
      )
      return true
    },
    request_password_reset: async ({ email }, { database, ip, now }) => {
      await requestPasswordReset(database.db, { email, ip }, now())
      return true
    },
    reset_account_password: async (input, { database, ip, now }) => {
      const { reset_token: token, new_password: newPassword, end_programs: isEnd } = input
      const brand = await deps.brand(database.db)
      const given = { token, newPassword, brand, ip, endsPrograms: isEnd === true }
      await resetPassword(database.db, deps, given, now())
      return true
    },
    legacy_profile: async (_input, context) => {
      const { id: accountId, reseller, member, lang, provedAt = null } = callerOf(context)
      const now = context.now()
      // A linked Telegram shows and spends the balance, and can sign in, which neither a reseller's token, nor
      // a member of a team, nor a session that was not proved recently must enable.
      const isOwner = reseller === undefined && member === undefined
      const linkAt = isOwner && proofUntil(provedAt, now) !== null ? now : null
      const profile = await profileOf(context.database.db, deps.secrets, { accountId, linkAt })
      // The language of the person who reads the pages.
      return [member === undefined ? profile : { ...profile, lang }]
    },
    change_language: async ({ code }, context) => {
      await changeLanguage(context.database.db, callerOf(context).id, code, context.now())
      return true
    },
    is_password_exists: (_input, context) => hasPassword(context.database.db, callerOf(context).id),
    change_account_password: async (input, context) => {
      const { id: accountId, tokenSha256 } = callerOf(context)
      const { old_password: oldPassword = null, new_password: newPassword } = input
      const brand = await deps.brand(context.database.db)
      const endPrograms = input.end_programs === true ? deps.endPrograms : null
      const given = { accountId, tokenSha256, oldPassword, newPassword, brand, ip: context.ip, endPrograms }
      await changePassword(context.database.db, given, context.now())
      return true
    },
  } satisfies HandlersOf<typeof accountsWire>
}

/**
 * A code in the form that is stored and compared: without invisible characters; null when nothing is left.
 */
function visible(code: string | number | null | undefined): string | null {
  const text = String(code ?? '')
    .replace(/\p{C}/gu, '')
    .trim()
  return text === '' ? null : text
}
