import { deskCall, readByPost } from '../call.ts'

/** Undoing acts by their entries in the audit trail. */
export const undoDeskWire = {
  undoable_acts: readByPost({ needs: 'member', stepUp: 'never' }),
  /** The act that undoes it needs its own permission and second factor, and has its own entry. */
  undo_act: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'member',
    stepUp: 'never',
    effect: 'changes',
    audit: null,
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
  }),
}
