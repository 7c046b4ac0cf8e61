import { act, read } from '../call.ts'

/** The operator’s accounts at the sellers of traffic. */
export const sellersDeskWire = {
  sellers: read({ needs: 'exits.read', masked: [], file: false }),
  seller_accounts: read({ needs: 'exits.read', masked: [], file: false }),
  seller_bill: read({ needs: 'exits.read', masked: [], file: true }),
  seller_answers: read({ needs: 'exits.read', masked: ['body'], file: false }),
  add_seller_account: act({ needs: 'exits.change', stepUp: 'always', audit: 'seller_account' }),
  set_seller_account: act({ needs: 'exits.change', stepUp: 'always', audit: 'seller_account' }),
  check_seller_account: act({ needs: 'exits.change', stepUp: 'never', audit: 'seller_account' }),
  decide_seller_places: act({ needs: 'exits.change', stepUp: 'never', audit: 'seller_account' }),
  remove_seller_account: act({ needs: 'exits.change', stepUp: 'never', audit: 'seller_account' }),
}
