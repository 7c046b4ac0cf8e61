import { act, read, readByPost } from '../call.ts'

/** Prices and discounts by volume. */
export const pricesDeskWire = {
  prices: read({ needs: 'prices.read', masked: [], file: false }),
  price_changes: read({ needs: 'prices.read', masked: [], file: true }),
  preview_prices: readByPost({ needs: 'prices.read', stepUp: 'never' }),
  change_prices: act({ needs: 'prices.change', stepUp: 'never', audit: 'prices' }),
  price_lists: read({ needs: 'prices.read', masked: [], file: false }),
  price_list_changes: read({ needs: 'prices.read', masked: [], file: true }),
  preview_price_list: readByPost({ needs: 'prices.read', stepUp: 'never' }),
  create_price_list: act({ needs: 'prices.change', stepUp: 'never', audit: 'prices' }),
  change_price_list: act({ needs: 'prices.change', stepUp: 'never', audit: 'prices' }),
  remove_price_list: act({ needs: 'prices.change', stepUp: 'never', audit: 'prices' }),
  assign_price_list: act({ needs: 'prices.change', stepUp: 'never', audit: 'customer' }),
}
