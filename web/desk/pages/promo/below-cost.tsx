import { skipToken, useQuery } from '@tanstack/react-query'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Fault } from '../../parts/loaded.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'
import styles from './promo.module.css'

const mostShown = 4

/** The margin that a discount leaves, or a warning of sales below cost. Null: the discount is incomplete. */
export function BelowCost({ discount }: { discount: DeskInput<'preview_discount'> | null }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, number } = useFigures()
  const { data, error } = useQuery({
    queryKey: ['preview_discount', discount],
    queryFn: discount === null ? skipToken : ({ signal }) => call('preview_discount', discount, { signal }),
    placeholderData: (before) => before,
  })
  if (error !== null) return <Fault text={error.message} />
  if (discount === null || data === undefined) return null
  const orderOf = ({ pool, gb }: { pool: Pool; gb: number }) =>
    `${t(`header:pools.${pool}`)} ${number(gb)} GB`
  const below = data.filter((sale) => sale.below_cost)
  const [worst] = below
  if (worst === undefined) return <Leaves sales={data} orderOf={orderOf} />
  const orders = below.slice(0, mostShown).map(orderOf)
  if (below.length > mostShown) orders.push('…')
  const price = usd(worst.per_gb_micros)
  const cost = usd(worst.least_per_gb_micros)
  return <Fault text={t('promo.belowCost', { orders: orders.join(', '), price, cost })} />
}

type Sale = DeskOutput<'preview_discount'>[number]

/** The margin of the least profitable order. */
function Leaves({ sales, orderOf }: { sales: readonly Sale[]; orderOf: (sale: Sale) => string }) {
  const { t } = useTranslation('deskPages')
  const { usd, percent } = useFigures()
  const part = (sale: Sale) => Number(sale.least_margin_per_gb_micros) / Number(sale.per_gb_micros)
  const [least] = sales.toSorted((a, b) => part(a) - part(b))
  if (least === undefined) return null
  const margin = usd(least.least_margin_per_gb_micros)
  return (
    <p className={styles.leaves}>
      {t('promo.leaves', { margin, percent: percent(part(least)), order: orderOf(least) })}
    </p>
  )
}
