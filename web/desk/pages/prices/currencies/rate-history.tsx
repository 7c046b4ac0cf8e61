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
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { language } = useFigures()
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'at',
        title: t('deskCurrencies:entered'),
        fixed: true,
        phone: true,
        cell: ({ at }) => <Moment iso={at} recent />,
      },
      { id: 'currency', title: t('deskCurrencies:currency'), phone: true, cell: ({ currency }) => currency },
      {
        id: 'rate',
        title: t('deskCurrencies:perUsd'),
        phone: true,
        numeric: true,
        cell: (row) => row.per_usd,
      },
      { id: 'on', title: t('deskCurrencies:of'), phone: true, cell: ({ on }) => formatDay(on, language) },
      {
        id: 'source',
        title: t('deskCurrencies:source'),
        cell: ({ source }) => t(`deskCurrencies:sourceOf.${source}`),
      },
      { id: 'by', title: t('deskCurrencies:by'), cell: ({ by }) => (by === '' ? '—' : by) },
      { id: 'reason', title: t('audit.reason'), cell: ({ reason }) => reason },
    ],
    [t, language],
  )
  return (
    <Section title={t('deskCurrencies:history')}>
      <List
        call="rate_changes"
        label={t('deskCurrencies:history')}
        filters={noFilters}
        columns={columns}
        rowId={({ id }) => id}
        empty={<p>{t('deskCurrencies:noHistory')}</p>}
      />
    </Section>
  )
}

const noFilters = {}
