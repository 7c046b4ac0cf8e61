import { useToldRead } from '../../state/told-read.ts'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { type MarginDivision, marginDivisions } from '#contract/desk/choices'
import type { Pool } from '#contract/wire'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { FilterBar } from '../../parts/filters.tsx'
import { useShopDays } from '../../parts/shop-day.ts'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { previousRows } from '../../state/previous-rows.ts'
import { CustomerLink } from '../../subjects/customer-link.tsx'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { MarginBooks } from './margin-books.tsx'
import { marginDivisionOf, timeName } from './part.ts'
import { Period } from './period.tsx'
import styles from './reports.module.css'

type Row = RowOf<'margin_report'>

const shareOf = ({ margin_micros: margin, revenue_micros: revenue }: Row) =>
  BigInt(revenue) > 0n ? Number(margin) / Number(revenue) : null

/** The margin of used traffic, by one dimension. */
export function MarginReport({ from, until }: { from: string; until: string }) {
  const { t } = useTranslation('deskMoney')
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const by = marginDivisionOf(search)
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
  const { zone } = useShopDays()
  const money = (
    id: 'revenue' | 'fee' | 'referral' | 'cost' | 'freeCost',
    of: (row: Row) => string,
  ): Column<Row> => ({ id, title: t(`reports.margin.${id}`), numeric: true, cell: (row) => usd(of(row)) })
  return [
    {
      id: 'key',
      title: t(`reports.key.${by}`, { zone }),
      fixed: true,
      phone: true,
      cell: (row) => <Key by={by} row={row} />,
    },
    money('revenue', ({ revenue_micros: micros }) => micros),
    money('fee', ({ fee_micros: micros }) => micros),
    money('referral', ({ share_micros: micros }) => micros),
    money('cost', ({ cost_micros: micros }) => micros),
    money('freeCost', ({ free_cost_micros: micros }) => micros),
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

/** A row's name, with a link to the items it sums up if there is one. */
function Key({ by, row: { key, name } }: { by: MarginDivision; row: Row }) {
  const { t } = useTranslation(['deskMoney', 'header'])
  const { language, percent } = useFigures()
  if (key === '(rest)') return <span>{t('reports.rest')}</span>
  const isOfPurchases = by === 'customer' || by === 'tier' || by === 'promo'
  if (key === '') return <span>{t(isOfPurchases ? 'reports.noPurchase' : 'reports.without')}</span>
  switch (by) {
    case 'pool':
      return <span>{t(`header:pools.${key as Pool}`)}</span>
    case 'exit':
      return <Link to={`/traffic?by=hour&exit=${key}`}>{name ?? `#${key}`}</Link>
    case 'customer':
      return <CustomerLink id={key} name={name} />
    case 'tier':
      return <span>{key === '0' ? t('reports.noDiscount') : percent(Number(key) / wholePpm)}</span>
    case 'promo':
      return <span>{key === '(none)' ? t('reports.noCode') : key}</span>
    default:
      return <span>{timeName(by, key, language)}</span>
  }
}

const wholePpm = 1_000_000

/** The sum of all rows, and whether the total revenue equals the ledger's. */
function Sum({ filters }: { filters: { by: MarginDivision; from: string; until: string } }) {
  const { t } = useTranslation('deskMoney')
  const { usd, traffic } = useFigures()
  const read = useToldRead({ ...query('margin_report', filters), placeholderData: previousRows(filters) })
  const foot = read.data?.foot ?? []
  const total = foot.find(({ key }) => key === 'total')
  if (read.data === undefined || total === undefined || read.data.rows.length === 0) return null
  const shown = (micros: string | null | undefined) => usd(micros ?? '0')
  const uncosted = total.uncosted_bytes ?? '0'
  return (
    <div className={styles.sum}>
      <Totals
        totals={[
          { name: t('reports.margin.revenue'), value: shown(total.revenue_micros) },
          { name: t('reports.margin.fee'), value: shown(total.fee_micros) },
          { name: t('reports.margin.referral'), value: shown(total.share_micros) },
          { name: t('reports.margin.cost'), value: shown(total.cost_micros) },
          { name: t('reports.margin.freeCost'), value: shown(total.free_cost_micros) },
          { name: t('reports.margin.margin'), value: shown(total.margin_micros) },
          { name: t('reports.margin.used'), value: traffic(total.charged_bytes ?? '0') },
          ...(uncosted === '0' ? [] : [{ name: t('reports.margin.uncosted'), value: traffic(uncosted) }]),
        ]}
      />
      <MarginBooks answer={read.data} />
    </div>
  )
}
