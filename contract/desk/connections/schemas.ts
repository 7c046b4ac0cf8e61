/** Connections, refusals, and the answer to a complaint. */
import * as z from 'zod'
import { amount, day, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
import { contact, freeText } from '../../masks.ts'

const period = { from: z.union([day, moment]), until: z.union([day, moment]) }

export const connectionsInput = z.strictObject({
  ...page,
  /** host:port as the client asked for it. */
  target: z.string().trim().min(1).max(300).optional(),
  /** The target's host, on any port: a name, or an address, including the one that a name resolved to. */
  host: z.string().trim().min(1).max(300).optional(),
  /** The address and port from which an exit of the shop's own connected to the target. */
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
  /** Why the member looks at the targets; without a reason they are not shown. */
  reason: reason.optional(),
})

/** In the order of ends, latest first. A page may have few or no rows although `next` is not null. */
export const connectionsPage = pageOf(
  z.object({
    request_id: z.string(),
    started_at: time,
    ended_at: time,
    duration_ms: z.number(),
    /** Null: the customer is not known. */
    customer_id: id.nullable(),
    customer_name: z.string().nullable(),
    login: z.string().nullable(),
    pool: pool.nullable(),
    exit_id: id.nullable(),
    exit: z.string().nullable(),
    country: z.string().nullable(),
    protocol: z.string(),
    /** Null: the target is not stored, or the request gave no reason. */
    target: z.string().nullable(),
    /** The address of a target that is a name. Null: as above, or only the exit knows it. */
    target_ip: z.string().nullable(),
    /** The address from which the exit connected to the target. Null: only the exit knows it. */
    exit_ip: z.string().nullable(),
    exit_port: z.number().nullable(),
    ip: contact.nullable(),
    port: z.number().nullable(),
    up_bytes: amount,
    down_bytes: amount,
    charged_bytes: amount,
    outcome: z.string(),
    code: z.string().nullable(),
    /** The error message to a refused client; without a given reason, the target is removed from it. */
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
  /** The error message to the client, with the target removed. */
  sentence: freeText.nullable(),
  /** The exit's answer, with the target removed. `exit_word` is null where targets are not stored. */
  exit_status: z.number().nullable(),
  exit_word: freeText.nullable(),
})

export const refusalsInput = z.strictObject(period)

/** Refusals by code, the most frequent first; `examples` are the latest ones. */
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
