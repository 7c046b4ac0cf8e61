/** The schemas of an account's security: second factors, sessions, another e-mail address. */
import * as z from 'zod'
import { done, empty, text } from '../schemas.ts'
import { factorKinds } from './rules.ts'

const code = z.string().max(64)
const moment = z.string()
const id = z.string().regex(/^[1-9]\d{0,17}$/)

/** As the browser's WebAuthn needs and answers it (JSON forms of the WebAuthn standard, level 3). */
const webauthn = z.record(z.string(), z.unknown())

const byTotp = z.strictObject({ kind: z.literal('totp'), code })
const byRecoveryCode = z.strictObject({ kind: z.literal('recovery_code'), code })
const byPasskey = z.strictObject({ kind: z.literal('passkey'), response: webauthn })
const byPassword = z.strictObject({ kind: z.literal('password'), password: z.string().max(1000) })

const ticketInput = z.strictObject({
  /** Of `second_factor_needed`; absent: any passkey that the browser has. */
  ticket: z.string().max(200).nullish(),
})
const options = z.object({ options: webauthn })
const passkeySignInInput = z.strictObject({ response: webauthn })
const secondStepInput = z.strictObject({
  ticket: z.string().max(200),
  proof: z.discriminatedUnion('kind', [byTotp, byRecoveryCode, byPasskey]),
})
const ownerProofInput = z.strictObject({
  proof: z.discriminatedUnion('kind', [byTotp, byRecoveryCode, byPasskey, byPassword]),
})

const overview = z.object({
  /** The ways to prove the owner besides the password; empty: two-factor authentication is off. */
  factors: z.array(z.enum(factorKinds)),
  totp: z.object({ created_at: moment, used_at: moment.nullable() }).nullable(),
  passkeys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      created_at: moment,
      used_at: moment.nullable(),
      /** It is kept by a service and works on several devices. */
      backed_up: z.boolean(),
    }),
  ),
  recovery_codes_left: z.number(),
  has_password: z.boolean(),
  /** Until when this session may change what protects the account; null: `prove_owner` first. */
  proven_until: moment.nullable(),
  email: z.string().nullable(),
  /** A Telegram account is linked. */
  telegram_linked: z.boolean(),
  /** The new address, not confirmed yet. */
  pending_email: z
    .object({ email: z.string(), expires_at: moment, waits_for: z.array(z.enum(['new', 'old'])) })
    .nullable(),
  /** Whether a letter reports sign-ins from new devices, networks and countries. */
  sign_in_letters: z.boolean(),
  /** The API token, when it was used last, to the minute, and from which address. */
  api_token: z
    .object({ created_at: moment, used_at: moment.nullable(), used_ip: z.string().nullable() })
    .nullable(),
})

/** Shown once; empty: the codes that there are stay valid. */
const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) })
const totpBegun = z.object({
  /** In base32, for typing in. */
  secret: z.string(),
  /** For a QR code. */
  uri: z.string(),
})
const codeInput = z.strictObject({ code })
const newPasskeyInput = z.strictObject({
  name: z.string().regex(/\S/).max(64).trim(),
  response: webauthn,
})
const passkeyIdInput = z.strictObject({ id })

const sessions = z.array(
  z.object({
    id: z.string(),
    /** The browser and the system, as they name themselves; null: not known. */
    device: z.string().nullable(),
    /** The address of the sign-in; null: not known. */
    ip: z.string().nullable(),
    /** ISO 3166-1; null: not known. */
    country: z.string().nullable(),
    created_at: moment,
    /** To a quarter of an hour. */
    used_at: moment,
    current: z.boolean(),
  }),
)
/** Without an id: all others. */
const endSessionsInput = z.strictObject({ id: id.nullish() })
const ended = z.object({ ended: z.number() })
const lettersInput = z.strictObject({ on: z.boolean() })

/** The old address has still to agree, until then; null: the address was changed. */
export const newEmailConfirmed = z.object({ waits_until: moment.nullable() })
export const answerEmailInput = z.strictObject({ answer_token: z.string().max(200), agreed: z.boolean() })
export const emailAnswered = z.object({ changed: z.boolean() })
export const undoEmailInput = z.strictObject({ undo_token: z.string().max(200) })

export const securitySchemas = {
  signin_second_step: { input: secondStepInput, output: text },
  signin_passkey_options: { input: ticketInput, output: options },
  signin_passkey: { input: passkeySignInInput, output: text },
  security: { input: empty, output: overview },
  prove_owner_options: { input: empty, output: options },
  prove_owner: { input: ownerProofInput, output: done },
  totp_begin: { input: empty, output: totpBegun },
  totp_finish: { input: codeInput, output: recoveryCodes },
  remove_totp: { input: empty, output: done },
  passkey_begin: { input: empty, output: options },
  passkey_finish: { input: newPasskeyInput, output: recoveryCodes },
  remove_passkey: { input: passkeyIdInput, output: done },
  new_recovery_codes: { input: empty, output: recoveryCodes },
  my_sessions: { input: empty, output: sessions },
  end_sessions: { input: endSessionsInput, output: ended },
  set_sign_in_letters: { input: lettersInput, output: done },
} as const
