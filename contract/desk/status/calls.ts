import { act, deskCall, read } from '../call.ts'

/** Incidents of the public status page. */
export const statusDeskWire = {
  incidents: read({ needs: 'status.read', masked: [], file: false }),
  open_incident: act({ needs: 'status.change', stepUp: 'never', audit: 'incident' }),
  update_incident: act({ needs: 'status.change', stepUp: 'never', audit: 'incident' }),
  correct_incident: deskCall({
    method: 'POST',
    answer: 'json',
    needs: 'status.change',
    stepUp: 'never',
    effect: 'changes',
    audit: 'incident',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 1024 },
    queue: null,
  }),
}
