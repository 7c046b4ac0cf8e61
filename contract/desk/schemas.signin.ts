/** Signing in to the desk, one's own factors and sessions, the people behind the shop, the audit trail. */
import * as z from 'zod'
import { permissions, roles } from './roles.ts'
import { contact, freeText } from '../masks.ts'
import { actor, amount, day, id, label, moment, page, pageOf, time } from './schemas.ts'

export const role = z.enum(roles)
const staffName = z.string().max(64)
const password = z.string().max(1000)
const code = z.string().max(64)
const token = z.string().max(200)

/** How a sign-in stands. */
const stage = z.enum(['signed_out', 'factor_missing', 'signed_in'])
const factorKinds = z.enum(['totp', 'passkey', 'recovery_code'])

export const session = z.object({
  stage,
  /** What completes the sign-in, while the factor is missing; what the member has, afterwards. */
  factors: z.array(factorKinds),
  member: z.object({ id, name: z.string(), role, permissions: z.array(z.enum(permissions)) }).nullable(),
  /** Until when calls that need a fresh factor are open; null: the factor must be proved again. */
  stepped_up_until: time.nullable(),
  /** When the session ends if nothing is done. */
  idle_ends_at: time.nullable(),
  ends_at: time.nullable(),
  /** A demo: a second factor is not obligatory. */
  demo: z.boolean(),
  /** What the pages show of the shop. */
  brand: z.string(),
  shop_url: z.string(),
  /** The zone whose days the desk counts in, by its IANA name. */
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

/** As the browser's WebAuthn needs and answers it (JSON forms of the WebAuthn standard, level 3). */
const webauthn = z.record(z.string(), z.unknown())
export const challenge = z.object({ options: webauthn })
export const passkeyInput = z.strictObject({ response: webauthn })

export const joinBeginInput = z.strictObject({ token })
export const joinBegun = z.object({
  name: z.string(),
  role,
  expires_at: time,
  /** base32, and as the `otpauth:` address of a QR code. */
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
/** Shown once: ten codes of which each works once. */
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
/** Without an id: all others. */
export const endSessionInput = z.strictObject({ id: id.optional() })
export const ended = z.object({ ended: z.number() })

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

// Staff

export const staff = z.array(
  z.object({
    id,
    name: z.string(),
    role,
    state: z.enum(['invited', 'active', 'blocked']),
    factors: z.array(factorKinds),
    sessions: z.number(),
    created_at: time,
    seen_at: time.nullable(),
    /** While an unused link is open. */
    link_expires_at: time.nullable(),
  }),
)
export const inviteInput = z.strictObject({ name: staffName, role })
/** The address at which the person sets a password and a second factor, once; shown once. */
export const link = z.object({ id, url: z.string(), expires_at: time })
export const staffIdInput = z.strictObject({ id })
export const staffRoleInput = z.strictObject({ id, role })

// Audit

export const auditEntry = z.object({
  id,
  at: time,
  actor,
  /** The call, such as `block_customer`; of the command line the same. */
  action: z.string(),
  subject_kind: z.string(),
  subject_id: z.string(),
  /** The customer whom it concerns. */
  customer_id: id.nullable(),
  before: z.unknown(),
  after: z.unknown(),
  reason: freeText.nullable(),
  ip: contact.nullable(),
  request_id: z.string().nullable(),
})
export const auditInput = z.strictObject({
  ...page,
  /** Part of a name, a subject or a reason. */
  text: z.string().max(200).optional(),
  staff_id: id.optional(),
  action: z.string().max(64).optional(),
  subject_kind: z.string().max(32).optional(),
  subject_id: z.string().max(100).optional(),
  customer_id: id.optional(),
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
export const auditPage = pageOf(auditEntry)
