import { skipToken, useQuery } from '@tanstack/react-query'
import type { DeskInput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Fault } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'

const mostShown = 4

/** Warns of a discount that leads to sales below cost; null: the discount is incomplete. */
export function BelowCost({ discount }: { discount: DeskInput<'preview_discount'> | null }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number } = useFigures()
  const { data, error } = useQuery({
    queryKey: ['preview_discount', discount],
    queryFn: discount === null ? skipToken : ({ signal }) => call('preview_discount', discount, { signal }),
    placeholderData: (before) => before,
  })
  if (error !== null) return <Fault text={error.message} />
  const [worst] = data ?? []
  if (discount === null || data === undefined || worst === undefined) return null
  const orders = data
    .slice(0, mostShown)
    .map(({ pool, gb }) => `${t(`header:pools.${pool}`)} ${number(gb)} GB`)
  if (data.length > mostShown) orders.push('…')
  const price = usd(worst.per_gb_micros)
  const cost = usd(worst.least_per_gb_micros)
  return <Fault text={t('promo.belowCost', { orders: orders.join(', '), price, cost })} />
}
