/** Undoing acts by their entries in the audit trail. */
import * as z from 'zod'
import { id, reason } from '../schemas.ts'

export const undoableInput = z.strictObject({
  /** Entries of the audit trail; omitted: the member's own last act, if it is at most a minute old. */
  entries: z.array(id).max(200).optional(),
})

/** Those of the entries that this member may undo now. */
export const undoable = z.array(z.object({ entry: id, action: z.string() }))

export const undoInput = z.strictObject({ entry: id, reason: reason.optional() })

/** The call that undid it. */
export const undone = z.object({ action: z.string() })

export const undoDeskSchemas = {
  undoable_acts: { input: undoableInput, output: undoable },
  undo_act: { input: undoInput, output: undone },
} as const
