import {
  deviceName,
  endSessions,
  hasPassword,
  needOwner,
  openSessions,
  originOf,
  personOf,
  provenUntil,
  setTellsOfDevices,
  tellOfChange,
  tellsOfDevices,
} from '#accounts'
import { pendingEmail } from '#accounts/email'
import { ownerInTelegram } from '#accounts/telegram'
import type { Output } from '#contract/contract'
import type { securityWire, sessionsWire } from '#contract/account-security/calls'
import { transaction } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import {
  accountCodesLeft,
  accountFactors,
  accountPasskeys,
  type FactorDeps,
  newChallenge,
  requestOptions,
  totpOf,
} from '#second-factors'
import { apiTokenUse } from '#reseller'
import {
  beginPasskey,
  beginTotp,
  finishPasskey,
  finishTotp,
  type Own,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from './own.ts'
import { proveSession, provingFor } from './prove.ts'
import { finishSignIn, signInByPasskey, signInOptions } from './signin.ts'

export interface SecurityDeps {
  secrets: FactorDeps['secrets']
  /** The relying party of passkeys: the site at which customers sign in, with the shop's current name. */
  party: () => Promise<FactorDeps['party']>
}

const ownOf = (context: Context): Own => {
  const { id: accountId, tokenSha256 } = callerOf(context)
  return { accountId, tokenSha256, ip: context.ip }
}

const textOf = (moment: Date | null | undefined) => moment?.toISOString() ?? null

async function overview(context: Context): Promise<Output<'security'>> {
  const { id, tokenSha256 } = callerOf(context)
  const { db } = context.database
  const now = context.now()
  const [person, factors, totp, passkeys, left, proven, pending, token, password, tells, inTelegram] =
    await Promise.all([
      personOf(db, id),
      accountFactors(db, id),
      totpOf(db, id),
      accountPasskeys(db, id),
      accountCodesLeft(db, id),
      provenUntil(db, tokenSha256, now),
      pendingEmail(db, id, now),
      apiTokenUse(db, id),
      hasPassword(db, id),
      tellsOfDevices(db, id),
      ownerInTelegram(db, id),
    ])
  return {
    factors,
    totp:
      totp === undefined
        ? null
        : { created_at: totp.created_at.toISOString(), used_at: textOf(totp.used_at) },
    passkeys: passkeys.map((passkey) => ({
      id: String(passkey.id),
      name: passkey.name,
      created_at: passkey.created_at.toISOString(),
      used_at: textOf(passkey.used_at),
      backed_up: passkey.is_backed_up,
    })),
    recovery_codes_left: left,
    has_password: password,
    proven_until: textOf(proven),
    email: person.email,
    telegram_linked: inTelegram !== null,
    pending_email:
      pending === null
        ? null
        : {
            email: pending.email,
            expires_at: pending.expiresAt.toISOString(),
            waits_for: pending.waitsFor,
          },
    sign_in_letters: tells,
    api_token:
      token === null
        ? null
        : { created_at: token.createdAt.toISOString(), used_at: textOf(token.usedAt), used_ip: token.usedIp },
  }
}

const sessionCalls = {
  security: (_input, context) => overview(context),
  set_sign_in_letters: async ({ on }, context) => {
    const { id } = callerOf(context)
    if (!on) await needOwner(context)
    await transaction(context.database.db, async (tx) => {
      const wasOn = await setTellsOfDevices(tx, id, on)
      if (wasOn && !on)
        await tellOfChange(tx, id, { event: 'sign_in_letters_off', ip: context.ip }, context.now())
    })
    return true
  },
  my_sessions: async (_input, context) => {
    const { id, tokenSha256 } = callerOf(context)
    const rows = await openSessions(context.database.db, id, context.now())
    return rows.map((row) => ({
      id: String(row.id),
      device: deviceName(row.user_agent),
      ip: row.ip,
      country: row.country,
      created_at: row.created_at.toISOString(),
      used_at: row.used_at.toISOString(),
      current: row.token_sha256.equals(tokenSha256),
    }))
  },
  end_sessions: async (input, context) => {
    const { id, tokenSha256 } = callerOf(context)
    const which = input.id == null ? { except: tokenSha256 } : { only: BigInt(input.id) }
    return { ended: await transaction(context.database.db, (tx) => endSessions(tx, id, which)) }
  },
} satisfies HandlersOf<typeof sessionsWire>

/** The calls of an account's security, and those that finish a sign-in. */
export function securityCalls({ secrets, party }: SecurityDeps) {
  const deps = async (): Promise<FactorDeps> => ({ secrets, party: await party() })
  return {
    ...sessionCalls,
    signin_passkey_options: async ({ ticket }, { database, now }) => ({
      options: await signInOptions(database.db, await deps(), ticket ?? null, now()),
    }),
    signin_passkey: async ({ response }, context) =>
      signInByPasskey(
        context.database.db,
        await deps(),
        { response, origin: originOf(context) },
        context.now(),
      ),
    signin_second_step: async ({ ticket, proof }, context) =>
      finishSignIn(
        context.database.db,
        await deps(),
        { ticket, proof, origin: originOf(context) },
        context.now(),
      ),
    prove_owner_options: async (_input, context) => {
      const { id, tokenSha256 } = callerOf(context)
      const known = await accountPasskeys(context.database.db, id)
      const challenge = newChallenge(secrets, provingFor(tokenSha256), context.now())
      const { options } = await requestOptions(await party(), { known, challenge })
      return { options }
    },
    prove_owner: async ({ proof }, context) => {
      const given = { ...ownOf(context), proof, origin: originOf(context) }
      await proveSession(context.database.db, await deps(), given, context.now())
      return true
    },
    totp_begin: async (_input, context) => beginTotp(context.database.db, await deps(), ownOf(context)),
    totp_finish: async ({ code }, context) => ({
      recovery_codes: await finishTotp(
        context.database.db,
        await deps(),
        ownOf(context),
        code,
        context.now(),
      ),
    }),
    remove_totp: async (_input, context) => {
      await removeTotp(context.database.db, ownOf(context), context.now())
      return true
    },
    passkey_begin: async (_input, context) => ({
      options: await beginPasskey(context.database.db, await deps(), ownOf(context), context.now()),
    }),
    passkey_finish: async (input, context) => ({
      recovery_codes: await finishPasskey(
        context.database.db,
        await deps(),
        ownOf(context),
        input,
        context.now(),
      ),
    }),
    remove_passkey: async ({ id }, context) => {
      await removePasskey(context.database.db, ownOf(context), BigInt(id), context.now())
      return true
    },
    new_recovery_codes: async (_input, context) => ({
      recovery_codes: await renewRecoveryCodes(context.database.db, ownOf(context), context.now()),
    }),
  } satisfies HandlersOf<typeof securityWire>
}
