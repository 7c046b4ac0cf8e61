import { useMemo } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import styles from './prices.module.css'

type Row = RowOf<'price_changes'>

/** Every change of a price or tier, with its author and reason. */
export function PriceHistory() {
  const { t } = useTranslation(['deskPages', 'header'])
  const { usd, percent, number } = useFigures()
  const columns = useMemo((): readonly Column<Row>[] => {
    const price = (micros: string | null) => (micros === null ? t('prices.notSold') : usd(micros))
    const tier = (ppm: number | null) => (ppm === null ? t('prices.noTier') : percent(ppm / 1e6))
    return [
      {
        id: 'at',
        title: t('column.at'),
        fixed: true,
        phone: true,
        cell: (row) => <Moment iso={row.at} recent />,
      },
      {
        id: 'what',
        title: t('prices.what'),
        phone: true,
        cell: (row) =>
          row.pool === null
            ? t('prices.from', { gb: number(row.from_gb ?? 0) })
            : t(`header:pools.${row.pool}`),
      },
      {
        id: 'change',
        title: t('audit.change'),
        phone: true,
        numeric: true,
        cell: (row) =>
          row.pool === null
            ? `${tier(row.before_ppm)} → ${tier(row.after_ppm)}`
            : `${price(row.before_micros)} → ${price(row.after_micros)}`,
      },
      { id: 'by', title: t('audit.actor'), cell: (row) => row.by },
      { id: 'reason', title: t('audit.reason'), cell: ({ reason }) => reason },
    ]
  }, [t, usd, percent, number])
  return (
    <div className={styles.history}>
      <Section title={t('prices.history')}>
        <List
          call="price_changes"
          label={t('prices.history')}
          filters={noFilters}
          columns={columns}
          rowId={(row) => `${row.id}-${row.pool ?? row.from_gb}`}
          empty={<p>{t('prices.unchanged')}</p>}
        />
      </Section>
    </div>
  )
}

const noFilters = {}
