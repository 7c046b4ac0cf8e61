/** What the schemas of the desk's calls share: ids, amounts, times, pages of a list. */
import * as z from 'zod'
import { pools } from '../pools.ts'
import { isOfOurTime, labelForm } from '../texts.ts'

export const empty = z.strictObject({})
export const done = z.literal(true)
/** Whether an act has changed anything. */
export const changed = z.object({ changed: z.boolean() })
/** How many sessions an act has ended. */
export const ended = z.object({ ended: z.number() })
export const pool = z.enum(pools)

/** The id of a row, as decimal digits. */
export const id = z.string().regex(/^[1-9]\d{0,17}$/)
/** Bytes or micro-USD, as decimal digits: they may exceed what a JSON number holds. */
export const amount = z.string().regex(/^-?\d{1,19}$/)
/** An `amount` that a caller sends: no larger than the database holds. */
export const givenAmount = z.string().regex(/^-?\d{1,18}$/)
/** An amount above zero. */
export const positive = z.string().regex(/^[1-9]\d{0,17}$/)
/** One line of which every character shows; see `labelForm`. */
export const label = (most: number) => z.string().trim().max(most).regex(labelForm)

/** RFC 3339, UTC, with milliseconds. */
export const time = z.string()
export const moment = z.iso.datetime({ offset: true }).refine(isOfOurTime)
/** A UTC day, YYYY-MM-DD. */
export const day = z.iso.date().refine(isOfOurTime)
/** A UTC day in reports by time; any other text in reports by something else. */
export const dayOrText = z.string()
/** A UUID that the client makes for one act. A repeated request changes nothing and gets the same answer. */
export const actKey = z.uuid()
/** Why something is done; recorded in the audit trail. */
export const reason = z.string().trim().min(3).max(500)

/** Where a page continues. The list checks its parts (`src/desk/lists/page.ts`), each by its type. */
export const cursor = z
  .string()
  .max(400)
  .regex(/^[\w.:-]+$/)

/** The query of a page: `after` is the `next` of the page before it. */
export const page = {
  after: cursor.optional(),
  limit: z
    .union([z.number(), z.string().regex(/^\d{1,3}$/)])
    .transform(Number)
    .pipe(z.number().int().min(1).max(200))
    .optional(),
}

/** A page of rows in a stable order; `next` is null on the last page. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ rows: z.array(row), next: z.string().nullable() })

/**
 * Who did something: a member of staff, a user of the system at the command line, or a person who has not
 * signed in.
 */
export const actor = z.object({
  kind: z.enum(['staff', 'system', 'anonymous']),
  staff_id: id.nullable(),
  name: z.string(),
})

/** The body of a call that is sent as it is, with the other fields in the address. */
export const bytes = z.instanceof(Uint8Array)
