import { act, deskCall, read } from '../call.ts'

/** Places: which ones each pool offers, from which exits, and imports of places. */
export const placesDeskWire = {
  places: read({ needs: 'exits.read', masked: [], file: true }),
  place_sources: read({ needs: 'exits.read', masked: [], file: false }),
  preview_places: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'exits.change',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 32768 },
    queue: null,
  }),
  import_places: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'exits.change',
    stepUp: 'never',
    effect: 'changes',
    audit: 'inventory',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 32768 },
    queue: null,
  }),
  restore_places: act({ needs: 'exits.change', stepUp: 'never', audit: 'inventory' }),
  remove_places: act({ needs: 'exits.change', stepUp: 'never', audit: 'inventory' }),
}
