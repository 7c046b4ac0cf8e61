import { type UseQueryResult, skipToken, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { call } from '../../state/api.ts'
import styles from './prices.module.css'

type Row = DeskOutput<'preview_prices'>[number]

/** The cost of orders at these prices, and the margin; null: the prices are incomplete. */
export function usePreview<N extends 'preview_prices' | 'preview_price_list'>(
  name: N,
  wanted: DeskInput<N> | null,
): UseQueryResult<Row[]> {
  return useQuery({
    queryKey: [name, wanted],
    queryFn: wanted === null ? skipToken : ({ signal }) => call(name, wanted, { signal }) as Promise<Row[]>,
    placeholderData: (before) => before,
  })
}

export const isSoldBelowCost = ({ below_cost: isBelow }: Row) => isBelow

/** The new price, the present price and the margin of each tier. */
export function PricePreview({ preview }: { preview: UseQueryResult<Row[]> }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd } = useFigures()
  return (
    <Section title={t('prices.preview')}>
      <Loaded query={preview}>
        {(rows) => (
          <>
            <BelowCost rows={rows} />
            {rows.length > 0 && (
              <WideTable name={t('prices.preview')}>
                <thead>
                  <tr>
                    <th scope="col">{t('column.pool')}</th>
                    <td className={styles.wideOnly}>{t('column.gb')}</td>
                    <td>{t('prices.now')}</td>
                    <td>{t('prices.then')}</td>
                    <td className={styles.wideOnly}>{t('prices.thenPerGb')}</td>
                    <MarginHeads />
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr
                      key={`${row.pool}-${row.gb}`}
                      className={classNames(row.now_micros !== row.then_micros && styles.changed)}
                    >
                      <PoolCells row={row} />
                      <td>{row.now_micros === null ? t('prices.notSold') : usd(row.now_micros)}</td>
                      <td>{row.then_micros === null ? t('prices.notSold') : usd(row.then_micros)}</td>
                      <td className={styles.wideOnly}>
                        {row.then_per_gb_micros !== null && usd(row.then_per_gb_micros)}
                      </td>
                      <MarginCells row={row} />
                    </tr>
                  ))}
                </tbody>
              </WideTable>
            )}
            <CostNote rows={rows} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** The margin of each tier at the present prices. */
export function TierMargins({ prices }: { prices: DeskInput<'preview_prices'> }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd } = useFigures()
  const preview = usePreview('preview_prices', prices)
  return (
    <Section title={t('prices.tierMargin')}>
      <Loaded query={preview}>
        {(rows) => (
          <>
            <BelowCost rows={rows} />
            {rows.some((row) => row.cost_per_gb_micros !== null) && (
              <WideTable name={t('prices.tierMargin')}>
                <thead>
                  <tr>
                    <th scope="col">{t('column.pool')}</th>
                    <td className={styles.wideOnly}>{t('prices.fromGb')}</td>
                    <td>{t('prices.perGb')}</td>
                    <MarginHeads />
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={`${row.pool}-${row.gb}`}>
                      <PoolCells row={row} />
                      <td>{row.then_per_gb_micros !== null && usd(row.then_per_gb_micros)}</td>
                      <MarginCells row={row} />
                    </tr>
                  ))}
                </tbody>
              </WideTable>
            )}
            <CostNote rows={rows} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** A table that scrolls sideways where a window is narrow, by keyboard too. A phone has its main columns. */
function WideTable({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.wide} tabIndex={0} role="group" aria-label={name}>
      <table className={styles.table}>
        <caption className="sr-only">{name}</caption>
        {children}
      </table>
    </div>
  )
}

function MarginHeads() {
  const { t } = useTranslation('deskPages')
  return (
    <>
      <td className={styles.wideOnly}>{t('prices.takenPerGb')}</td>
      <td className={styles.wideOnly}>{t('prices.costPerGb')}</td>
      <td>{t('prices.marginPerGb')}</td>
    </>
  )
}

/** The pool and the amount, which stands under the pool on a phone. */
function PoolCells({ row }: { row: Row }) {
  const { t } = useTranslation(['deskPages', 'header'])
  const { number } = useFigures()
  const amount = number(row.gb)
  return (
    <>
      <th scope="row">
        <span>{t(`header:pools.${row.pool}`)}</span>
        <span className={classNames(styles.basis, styles.phoneOnly)}>
          {t('prices.amount', { gb: amount })}
        </span>
      </th>
      <td className={styles.wideOnly} translate="no">
        {amount}
      </td>
    </>
  )
}

function MarginCells({ row }: { row: Row }) {
  const { t } = useTranslation('deskPages')
  const { usd } = useFigures()
  const { cost_per_gb_micros: cost, past_cost_per_gb_micros: past, dearest_per_gb_micros: dearest } = row
  return (
    <>
      <td className={styles.wideOnly}>
        {row.taken_per_gb_micros === null ? '–' : usd(row.taken_per_gb_micros)}
      </td>
      <td className={styles.wideOnly}>
        <span>{cost === null ? '–' : usd(cost)}</span>
        {dearest !== null && BigInt(dearest) > BigInt(cost ?? '0') && (
          <span className={styles.basis}>
            {t('prices.dearest', { cost: usd(dearest), exit: row.dearest_exit ?? '' })}
          </span>
        )}
        {past !== null && past !== cost && (
          <span className={styles.basis}>{t('prices.pastCost', { cost: usd(past) })}</span>
        )}
      </td>
      <MarginCell row={row} />
    </>
  )
}

/** The average margin; for a sale below cost, the margin at the dearest exit instead. */
function MarginCell({ row }: { row: Row }) {
  const { t } = useTranslation('deskPages')
  const { usd, percent } = useFigures()
  const { margin_per_gb_micros: average, least_margin_per_gb_micros: lowest, then_per_gb_micros: price } = row
  const { cost_per_gb_micros: cost } = row
  if (average === null || lowest === null || price === null) return <td>–</td>
  const shown = row.below_cost ? lowest : average
  const exit = row.dearest_exit ?? ''
  return (
    <td className={classNames(row.below_cost && styles.loss)}>
      <span>{`${usd(shown)} (${percent(Number(shown) / Number(price))})`}</span>
      {cost !== null && (
        <span className={classNames(styles.basis, styles.phoneOnly)}>
          {t('prices.shortCost', { cost: usd(cost) })}
        </span>
      )}
      {average !== lowest && (
        <span className={styles.basis}>
          {row.below_cost
            ? t('prices.averageMargin', { margin: usd(average) })
            : t('prices.leastMargin', { margin: usd(lowest), exit })}
        </span>
      )}
    </td>
  )
}

function BelowCost({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation('deskPages')
  const count = rows.filter(isSoldBelowCost).length
  return count > 0 && <Fault text={t('prices.belowCost', { count })} />
}

function CostNote({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation('deskPages')
  const isKnown = rows.some((row) => row.cost_per_gb_micros !== null)
  return <p className={styles.quiet}>{t(isKnown ? 'prices.costNote' : 'prices.noCosts')}</p>
}
