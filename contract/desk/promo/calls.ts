import { act, actOnce, read, readByPost } from '../call.ts'

/** Promo codes, campaigns and the share of inviters. */
export const promoDeskWire = {
  preview_discount: readByPost({ needs: 'promo.read', stepUp: 'never' }),
  promo_codes: read({ needs: 'promo.read', masked: [], file: true }),
  promo_code_uses: read({ needs: 'promo.read', masked: [], file: true }),
  promo_code_days: read({ needs: 'promo.read', masked: [], file: false }),
  create_promo_codes: actOnce({ needs: 'promo.change', stepUp: 'never', audit: 'promo_code' }),
  change_promo_code: act({ needs: 'promo.change', stepUp: 'never', audit: 'promo_code' }),
  stop_promo_code: act({ needs: 'promo.change', stepUp: 'never', audit: 'promo_code' }),
  stop_promo_batch: act({ needs: 'promo.change', stepUp: 'never', audit: 'promo_code' }),
  campaigns: read({ needs: 'promo.read', masked: [], file: true }),
  referral_share: read({ needs: 'promo.read', masked: [], file: false }),
  set_referral_share: act({ needs: 'promo.change', stepUp: 'never', audit: 'referral' }),
}
