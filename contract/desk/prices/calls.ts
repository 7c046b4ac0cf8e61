import { act, read, readByPost } from '../call.ts'

/** Prices and discounts by volume. */
export const pricesDeskWire = {
  prices: read({ needs: 'prices.read', masked: [], file: false }),
  price_changes: read({ needs: 'prices.read', masked: [], file: true }),
  preview_prices: readByPost({ needs: 'prices.read', stepUp: 'never' }),
  change_prices: act({ needs: 'prices.change', stepUp: 'never', audit: 'prices' }),
}
