/** Lists that members save, and acts on many customers, each of whom gets a call of their own. */
import * as z from 'zod'
import { bulkActs } from './choices.ts'
import { actKey, id } from './schemas.ts'

const pageName = z.string().regex(/^[a-z_]{1,40}$/)
const view = { name: z.string().trim().min(1).max(60), query: z.string().max(2000) }
export const viewsInput = z.strictObject({ page: pageName })
/** The member's own, by name. */
export const views = z.array(z.object({ id, ...view }))
/** A view of the same name is replaced. */
export const saveViewInput = z.strictObject({ page: pageName, ...view })
export const savedView = z.object({ id })
export const viewInput = z.strictObject({ id })

const tag = z.string().trim().min(1).max(40)
export const tryBulkInput = z.strictObject({
  act: z.enum(bulkActs),
  ids: z.array(id).min(1).max(2000),
  tag: tag.optional(),
})
/** What an act on these customers would do; nothing is changed. */
export const triedBulk = z.object({
  /** Whom it changes. */
  will: z.number(),
  /** Blocked, tagged or without an address already. */
  unchanged: z.number(),
  /** Not there. */
  unknown: z.number(),
})
export const addTagInput = z.strictObject({ id, tag })
export const sendLetterInput = z.strictObject({
  id,
  subject: z
    .string()
    .trim()
    .min(1)
    .max(120)
    // A line of a header.
    .regex(/^\P{Cc}+$/u),
  text: z.string().trim().min(1).max(8000),
  key: actKey,
})
