/** Connections, refusals, and the answer to a complaint. */
import * as z from 'zod'
import { amount, day, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
import { contact, freeText } from '../../masks.ts'

const period = { from: z.union([day, moment]), until: z.union([day, moment]) }

export const connectionsInput = z.strictObject({
  ...page,
  /** host:port as the client asked for it. */
  target: z.string().trim().min(1).max(300).optional(),
  /** A name, or an address, also the one of a name; with whatever port. */
  host: z.string().trim().min(1).max(300).optional(),
  /** The address from which an exit of the shop's own connected to the target, and its port. */
  exit_ip: z.string().max(64).optional(),
  exit_port: z.coerce.number().int().min(1).max(65_535).optional(),
  /** The client's address. */
  ip: z.string().max(64).optional(),
  exit: id.optional(),
  customer: id.optional(),
  request_id: z.uuid().optional(),
  /** The connection was open at some time in this period; omitted: all records that are kept. */
  from: period.from.optional(),
  until: period.until.optional(),
  /** Why the targets are looked at; without it they are not shown. */
  reason: reason.optional(),
})

/** The last to end first. A page may have fewer rows than asked for, or none, and still a `next`. */
export const connectionsPage = pageOf(
  z.object({
    request_id: z.string(),
    started_at: time,
    ended_at: time,
    duration_ms: z.number(),
    /** Null: their access to the pool is not known. */
    customer_id: id.nullable(),
    customer_name: z.string().nullable(),
    login: z.string().nullable(),
    pool: pool.nullable(),
    exit_id: id.nullable(),
    exit: z.string().nullable(),
    country: z.string().nullable(),
    protocol: z.string(),
    /** Null: not kept, or not asked for with a reason. */
    target: z.string().nullable(),
    /** The address of a target that is a name. Null: as above, or only the exit knows it. */
    target_ip: z.string().nullable(),
    /** From where the exit connected to the target. Null: only the exit knows it. */
    exit_ip: z.string().nullable(),
    exit_port: z.number().nullable(),
    ip: contact.nullable(),
    port: z.number().nullable(),
    up_bytes: amount,
    down_bytes: amount,
    charged_bytes: amount,
    outcome: z.string(),
    code: z.string().nullable(),
    /** Of a refusal: what the client was told; without a reason the target is blotted out of it. */
    sentence: freeText.nullable(),
  }),
)

/** A connection that the gateway refused, without its target. */
const refusal = z.object({
  request_id: z.string(),
  at: time,
  customer_id: id.nullable(),
  customer_name: z.string().nullable(),
  pool: pool.nullable(),
  exit_id: id.nullable(),
  exit: z.string().nullable(),
  country: z.string().nullable(),
  protocol: z.string(),
  status: z.number().nullable(),
  code: z.string(),
  /** What the client was told, the target blotted out of it. */
  sentence: freeText.nullable(),
  /** What the exit answered, the target blotted out of it; no word of it where targets are not kept. */
  exit_status: z.number().nullable(),
  exit_word: freeText.nullable(),
})

export const refusalsInput = z.strictObject(period)

/** By code, the most frequent first; `examples` are the last ones. */
export const refusals = z.array(z.object({ code: z.string(), requests: amount, examples: z.array(refusal) }))

export const customerRefusalsInput = z.strictObject({ ...page, id })

export const customerRefusalsPage = pageOf(refusal)

export const exitRefusalsInput = z.strictObject({ ...page, id })

export const exitRefusalsPage = pageOf(refusal)

export const complaintInput = z.strictObject({
  request_id: z.uuid(),
  language: z.enum(['ru', 'en']),
  reason,
})

/** The text for the complainant; it never names the customer. */
export const complaintAnswer = z.object({ text: z.string() })

export const connectionsDeskSchemas = {
  refusals: { input: refusalsInput, output: refusals },
  connections: { input: connectionsInput, output: connectionsPage },
  customer_refusals: { input: customerRefusalsInput, output: customerRefusalsPage },
  complaint_answer: { input: complaintInput, output: complaintAnswer },
  exit_refusals: { input: exitRefusalsInput, output: exitRefusalsPage },
} as const
