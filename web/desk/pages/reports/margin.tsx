import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { type MarginDivision, marginDivisions } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { FilterBar } from '../../parts/filters.tsx'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { Period } from './period.tsx'
import styles from './reports.module.css'

type Row = RowOf<'margin_report'>

const shareOf = ({ margin_micros: margin, earned_micros: earned }: Row) =>
  BigInt(earned) > 0n ? Number(margin) / Number(earned) : null

/** What used traffic earned less what it cost, divided by one thing. */
export function MarginReport({ from, until }: { from: string; until: string }) {
  const { t } = useTranslation('deskMoney')
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const by = marginDivisions.find((each) => each === search.get('by')) ?? 'day'
  const filters = useMemo(() => ({ by, from, until }), [by, from, until])
  return (
    <>
      <p className={styles.note}>{t('reports.about.margin')}</p>
      <Sum filters={filters} />
      <List
        call="margin_report"
        label={t('reports.report.margin')}
        filters={filters}
        columns={useMarginColumns(by)}
        rowId={({ key }) => key}
        empty={<p>{t('reports.none')}</p>}
        bar={
          <FilterBar>
            <SelectField
              label={t('reports.divide')}
              labelHidden
              value={by}
              options={marginDivisions.map((value) => ({ value, label: t(`reports.by.${value}`) }))}
              onChange={(value) => setParameter('by', value === 'day' ? null : value)}
            />
            <Period from={from} until={until} />
          </FilterBar>
        }
      />
    </>
  )
}

function useMarginColumns(by: MarginDivision): readonly Column<Row>[] {
  const { t } = useTranslation('deskMoney')
  const { usd, traffic, percent } = useFigures()
  return [
    {
      id: 'key',
      title: t(`reports.key.${by}`),
      fixed: true,
      phone: true,
      cell: (row) => <Key by={by} row={row} />,
    },
    { id: 'earned', title: t('reports.margin.earned'), numeric: true, cell: (row) => usd(row.earned_micros) },
    { id: 'cost', title: t('reports.margin.cost'), numeric: true, cell: (row) => usd(row.cost_micros) },
    {
      id: 'margin',
      title: t('reports.margin.margin'),
      numeric: true,
      phone: true,
      cell: (row) => usd(row.margin_micros),
    },
    {
      id: 'share',
      title: t('reports.margin.share'),
      numeric: true,
      cell: (row) => {
        const share = shareOf(row)
        return share === null || row.uncosted_bytes !== '0' ? '–' : percent(share)
      },
    },
    {
      id: 'used',
      title: t('reports.margin.used'),
      numeric: true,
      phone: true,
      cell: (row) => traffic(row.charged_bytes),
    },
    { id: 'bonus', title: t('reports.bonus'), numeric: true, cell: (row) => traffic(row.bonus_bytes) },
    {
      id: 'carried',
      title: t('reports.margin.carried'),
      numeric: true,
      cell: (row) => traffic(row.relayed_bytes),
    },
    {
      id: 'uncosted',
      title: t('reports.margin.uncosted'),
      numeric: true,
      cell: (row) => (row.uncosted_bytes === '0' ? '' : traffic(row.uncosted_bytes)),
    },
  ]
}

/** A row's name, and where one exists the way to what it is the sum of. */
function Key({ by, row: { key, name } }: { by: MarginDivision; row: Row }) {
  const { t } = useTranslation(['deskMoney', 'header'])
  const { language } = useFigures()
  if (key === '') return t('reports.without')
  if (by === 'pool') return t(`header:pools.${key as Pool}`)
  if (by === 'exit') return <Link to={`/traffic?by=hour&exit=${key}`}>{name ?? `#${key}`}</Link>
  return new Date(key).toLocaleDateString(language, {
    timeZone: 'UTC',
    year: 'numeric',
    month: by === 'month' ? 'long' : 'short',
    ...(by === 'month' ? {} : { day: 'numeric' as const }),
  })
}

function Sum({ filters }: { filters: { by: MarginDivision; from: string; until: string } }) {
  const { t } = useTranslation('deskMoney')
  const { usd, traffic } = useFigures()
  const read = useQuery({ ...query('margin_report', filters), placeholderData: (before) => before })
  const rows = read.data?.rows ?? []
  if (rows.length === 0) return null
  const sum = (
    field: 'earned_micros' | 'cost_micros' | 'margin_micros' | 'charged_bytes' | 'uncosted_bytes',
  ) => rows.reduce((all, row) => all + BigInt(row[field]), 0n)
  const uncosted = sum('uncosted_bytes')
  return (
    <Totals
      totals={[
        { name: t('reports.margin.earned'), value: usd(sum('earned_micros')) },
        { name: t('reports.margin.cost'), value: usd(sum('cost_micros')) },
        { name: t('reports.margin.margin'), value: usd(sum('margin_micros')) },
        { name: t('reports.margin.used'), value: traffic(sum('charged_bytes')) },
        ...(uncosted > 0n ? [{ name: t('reports.margin.uncosted'), value: traffic(uncosted) }] : []),
      ]}
    />
  )
}
