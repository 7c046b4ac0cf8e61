import { act, read } from '../call.ts'

/** Saved views: lists with their filters, saved by a member. */
export const viewsDeskWire = {
  my_views: read({ needs: 'member', masked: [], file: false }),
  save_view: act({ needs: 'member', stepUp: 'never', audit: 'view' }),
  remove_view: act({ needs: 'member', stepUp: 'never', audit: 'view' }),
}
