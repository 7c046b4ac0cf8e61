/** Signing in, and the member's own factors and sessions. */
import * as z from 'zod'
import { amount, done, empty, ended, id, label, time } from '../schemas.ts'
import { contact } from '../../masks.ts'
import { permissions, roles } from '../roles.ts'

export const role = z.enum(roles)

export const staffName = z.string().max(64)

const password = z.string().max(1000)

const code = z.string().max(64)

const token = z.string().max(200)

/** The stage of a sign-in. */
const stage = z.enum(['signed_out', 'factor_missing', 'signed_in'])

export const factorKinds = z.enum(['totp', 'passkey', 'recovery_code'])

export const session = z.object({
  stage,
  /** The member's second factors; while the factor is missing, those that complete the sign-in. */
  factors: z.array(factorKinds),
  member: z.object({ id, name: z.string(), role, permissions: z.array(z.enum(permissions)) }).nullable(),
  /** Until when calls that need a fresh factor are accepted; null: the factor must be proved again. */
  stepped_up_until: time.nullable(),
  /** When the session ends without further calls. */
  idle_ends_at: time.nullable(),
  ends_at: time.nullable(),
  /** A demo: a second factor is not obligatory. */
  demo: z.boolean(),
  /** The shop's name and address, which the pages show. */
  brand: z.string(),
  shop_url: z.string(),
  /** The IANA name of the time zone whose days the desk uses. */
  time_zone: z.string(),
  limits: z.object({
    support_bytes_per_day: amount,
    step_up_bytes: amount,
    step_up_micros: amount,
  }),
})

export const signInInput = z.strictObject({ name: staffName, password })

export const codeInput = z.strictObject({ code })

export const passwordInput = z.strictObject({ password })

/** Options and responses of the browser's WebAuthn (JSON forms of the WebAuthn standard, level 3). */
const webauthn = z.record(z.string(), z.unknown())

export const challenge = z.object({ options: webauthn })

export const passkeyInput = z.strictObject({ response: webauthn })

export const joinBeginInput = z.strictObject({ token })

export const joinBegun = z.object({
  name: z.string(),
  role,
  expires_at: time,
  /** The secret in base32, and as the `otpauth:` URI for a QR code. */
  totp: z.object({ secret: z.string(), uri: z.string() }),
  passkey: webauthn,
})

export const joinFinishInput = z.strictObject({
  token,
  password,
  factor: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('totp'), code }),
    z.strictObject({
      kind: z.literal('passkey'),
      name: label(64),
      response: webauthn,
    }),
  ]),
})

/** Ten codes, each valid once. They are shown only here. */
export const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) })

export const mySessions = z.array(
  z.object({
    id,
    created_at: time,
    used_at: time,
    ip: contact.nullable(),
    user_agent: contact.nullable(),
    current: z.boolean(),
  }),
)

/** Without an id: ends all other sessions. */
export const endSessionInput = z.strictObject({ id: id.optional() })

export const myFactors = z.object({
  totp: z.boolean(),
  recovery_codes_left: z.number(),
  passkeys: z.array(
    z.object({ id, name: z.string(), created_at: time, used_at: time.nullable(), backed_up: z.boolean() }),
  ),
})

export const changePasswordInput = z.strictObject({ password })

export const totpBegun = z.object({ secret: z.string(), uri: z.string() })

export const passkeyFinishInput = z.strictObject({
  name: label(64),
  response: webauthn,
})

export const removePasskeyInput = z.strictObject({ id })

export const signinDeskSchemas = {
  session: { input: empty, output: session },
  sign_in: { input: signInInput, output: session },
  sign_out: { input: empty, output: done },
  passkey_challenge: { input: empty, output: challenge },
  confirm_totp: { input: codeInput, output: session },
  confirm_recovery_code: { input: codeInput, output: session },
  confirm_passkey: { input: passkeyInput, output: session },
  confirm_password: { input: passwordInput, output: session },
  join_begin: { input: joinBeginInput, output: joinBegun },
  join_finish: { input: joinFinishInput, output: recoveryCodes },
  my_sessions: { input: empty, output: mySessions },
  end_my_session: { input: endSessionInput, output: ended },
  my_factors: { input: empty, output: myFactors },
  change_my_password: { input: changePasswordInput, output: done },
  totp_begin: { input: empty, output: totpBegun },
  totp_finish: { input: codeInput, output: recoveryCodes },
  remove_totp: { input: empty, output: done },
  passkey_begin: { input: empty, output: challenge },
  passkey_finish: { input: passkeyFinishInput, output: recoveryCodes },
  remove_passkey: { input: removePasskeyInput, output: done },
  new_recovery_codes: { input: empty, output: recoveryCodes },
} as const
