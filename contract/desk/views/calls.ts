import { act, read } from '../call.ts'

/** Lists with their filters that members save. */
export const viewsDeskWire = {
  my_views: read({ needs: 'member', masked: [], file: false }),
  save_view: act({ needs: 'member', stepUp: 'never', audit: 'view' }),
  remove_view: act({ needs: 'member', stepUp: 'never', audit: 'view' }),
}
