import { act, readByPost } from '../call.ts'

/** Undoing acts by their entries in the audit trail. */
export const undoDeskWire = {
  undoable_acts: readByPost({ needs: 'member', stepUp: 'never' }),
  /** The act that undoes it needs its own permission and second factor, and has its own entry. */
  undo_act: act({ needs: 'member', stepUp: 'never', audit: null }),
}
