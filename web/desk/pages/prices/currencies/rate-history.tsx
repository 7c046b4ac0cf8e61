import { useMemo } from 'react'
import { useTranslation } from '../../../../state/i18n.ts'
import { formatDay } from '../../../../ui/format-time.ts'
import { Moment } from '../../../parts/moment.tsx'
import { Section } from '../../../parts/section.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import type { Column } from '../../../table/columns.ts'
import { List, type RowOf } from '../../../table/list.tsx'

type Row = RowOf<'rate_changes'>

/** Every rate that was entered, with its author and source. */
export function RateHistory() {
  const { t } = useTranslation('deskPages')
  const { language } = useFigures()
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'at',
        title: t('currencies.entered'),
        fixed: true,
        phone: true,
        cell: ({ at }) => <Moment iso={at} recent />,
      },
      { id: 'currency', title: t('currencies.currency'), phone: true, cell: ({ currency }) => currency },
      {
        id: 'rate',
        title: t('currencies.perUsd'),
        phone: true,
        numeric: true,
        cell: (row) => row.per_usd,
      },
      { id: 'on', title: t('currencies.of'), phone: true, cell: ({ on }) => formatDay(on, language) },
      {
        id: 'source',
        title: t('currencies.source'),
        cell: ({ source }) => t(`currencies.sourceOf.${source}`),
      },
      { id: 'by', title: t('currencies.by'), cell: ({ by }) => (by === '' ? '—' : by) },
      { id: 'reason', title: t('audit.reason'), cell: ({ reason }) => reason },
    ],
    [t, language],
  )
  return (
    <Section title={t('currencies.history')}>
      <List
        call="rate_changes"
        label={t('currencies.history')}
        filters={noFilters}
        columns={columns}
        rowId={({ id }) => id}
        empty={<p>{t('currencies.noHistory')}</p>}
      />
    </Section>
  )
}

const noFilters = {}
