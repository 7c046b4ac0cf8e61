/** What a price list says, as text. */
import { pools } from '#contract/wire'
import { useTranslation } from '../../../../state/i18n.ts'
import { useFigures } from '../../../parts/use-figures.ts'
import type { ListTerms } from './list-draft.ts'

/** A function that writes the prices of a list in one line, and its volume discounts in another. */
export function useTermsText(): (terms: ListTerms) => { prices: string; tiers: string } {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, percent, number } = useFigures()
  return ({ prices, tiers }) => {
    const own = pools.flatMap((pool) => {
      const price = prices.find((each) => each.pool === pool)
      if (price === undefined) return []
      const told = 'off_ppm' in price ? `−${percent(price.off_ppm / 1e6)}` : usd(price.per_gb_micros)
      return [`${t(`header:pools.${pool}`)}: ${told}`]
    })
    const steps = tiers?.map(
      ({ from_gb: gb, discount_ppm: ppm }) =>
        `${t('prices.from', { gb: number(gb) })} −${percent(ppm / 1e6)}`,
    )
    return {
      prices: own.length === 0 ? t('priceLists.shopPrices') : own.join(' · '),
      tiers:
        steps === undefined
          ? t('priceLists.shopTiersText')
          : steps.length === 0
            ? t('prices.noTiers')
            : steps.join(' · '),
    }
  }
}
