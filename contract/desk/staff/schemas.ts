/** The people behind the shop, and the audit trail. */
import * as z from 'zod'
import { actor, day, done, empty, ended, id, moment, page, pageOf, time } from '../schemas.ts'
import { contact, freeText } from '../../masks.ts'
import { factorKinds, role, staffName } from '../signin/schemas.ts'

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
    /** When the member's unused link expires; null: there is none. */
    link_expires_at: time.nullable(),
  }),
)

export const inviteInput = z.strictObject({ name: staffName, role })

/** A link, shown once and valid once, with which the person sets a password and a second factor. */
export const link = z.object({ id, url: z.string(), expires_at: time })

export const staffIdInput = z.strictObject({ id })

export const staffRoleInput = z.strictObject({ id, role })

// Audit

export const auditEntry = z.object({
  id,
  at: time,
  actor,
  /** The name of the call, such as `block_customer`; the command line records the same names. */
  action: z.string(),
  subject_kind: z.string(),
  subject_id: z.string(),
  /** The customer whom the entry concerns. */
  customer_id: id.nullable(),
  before: z.unknown(),
  after: z.unknown(),
  reason: freeText.nullable(),
  ip: contact.nullable(),
  request_id: z.string().nullable(),
  /** The name of that customer. Null: no customer, or one without a name. */
  customer_name: z.string().nullable(),
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

export const staffDeskSchemas = {
  staff: { input: empty, output: staff },
  invite_staff: { input: inviteInput, output: link },
  set_staff_role: { input: staffRoleInput, output: done },
  reset_staff: { input: staffIdInput, output: link },
  block_staff: { input: staffIdInput, output: done },
  unblock_staff: { input: staffIdInput, output: done },
  end_staff_sessions: { input: staffIdInput, output: ended },
  audit: { input: auditInput, output: auditPage },
} as const
