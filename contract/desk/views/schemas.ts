/** Saved views: lists with their filters, saved by a member. */
import * as z from 'zod'
import { done, id, label } from '../schemas.ts'

const pageName = z.string().regex(/^[a-z_]{1,40}$/)

const view = { name: label(60), query: z.string().max(2000) }

export const viewsInput = z.strictObject({ page: pageName })

/** The member's own views, in the order of names. */
export const views = z.array(z.object({ id, ...view }))

/** A view of the same name is replaced. */
export const saveViewInput = z.strictObject({ page: pageName, ...view })

export const savedView = z.object({ id })

export const viewInput = z.strictObject({ id })

export const viewsDeskSchemas = {
  my_views: { input: viewsInput, output: views },
  save_view: { input: saveViewInput, output: savedView },
  remove_view: { input: viewInput, output: done },
} as const
