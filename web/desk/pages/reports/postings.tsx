import { useToldRead } from '../../state/told-read.ts'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { referralMethod } from '#contract/invoices'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useShopDays } from '../../parts/shop-day.ts'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { previousRows } from '../../state/previous-rows.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import styles from './reports.module.css'
import { useMethodName } from '../../subjects/method-name.ts'
import { InvoiceLink } from '../../subjects/invoice-link.tsx'
import { CustomerLink } from '../../subjects/customer-link.tsx'

const reports = ['sales', 'refunds', 'referral'] as const
type Report = (typeof reports)[number]
type Filters = Omit<DeskInput<'postings'>, 'after' | 'limit'>
type Row = RowOf<'postings'>

/** The postings of the ledger that a figure of a report is the sum of. */
export function PostingsPage() {
  const { t } = useTranslation(['deskMoney', 'deskPages', 'header'])
  const [search] = useSearchParams()
  const { dayOf } = useShopDays()
  const [today] = useState(() => dayOf(Date.now()))
  const report = reports.find((each) => each === search.get('report')) ?? 'sales'
  const filters = useMemo(() => {
    const until = search.get('until') ?? today
    const period = { report, from: search.get('from') ?? until, until }
    return { ...given(search, ['pool', 'method', 'campaign', 'promo']), ...period } as Filters
  }, [search, report, today])
  return (
    <>
      <PageHead
        title={t(`postings.title.${report}`)}
        back={{ to: `/reports?report=${report}`, label: t('reports.title') }}
        actions={<SavedViews />}
      />
      <div className={styles.page}>
        <Sum filters={filters} report={report} />
        <List
          call="postings"
          label={t(`postings.title.${report}`)}
          filters={filters}
          columns={usePostingColumns(report)}
          rowId={(row) => row.id}
          empty={<p>{t('reports.none')}</p>}
          bar={
            <FilterBar>
              <DayFilter field="from" label={t('deskPages:filter.from')} usual={filters.from} />
              <DayFilter field="until" label={t('deskPages:filter.until')} usual={filters.until} />
              {report !== 'referral' && (
                <ChoiceFilter
                  field="pool"
                  label={t('deskPages:column.pool')}
                  all={t('deskPages:filter.anyPool')}
                  options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
                />
              )}
              <TextFilter field="method" label={t('reports.key.method')} />
              <TextFilter field="campaign" label={t('reports.key.campaign')} />
              <TextFilter field="promo" label={t('reports.key.promo')} />
            </FilterBar>
          }
        />
      </div>
    </>
  )
}

function Sum({ filters, report }: { filters: Filters; report: Report }) {
  const { t } = useTranslation('deskMoney')
  const { usd, traffic, number } = useFigures()
  const read = useToldRead({
    ...query('postings', { ...filters, limit: 1 }),
    placeholderData: previousRows(filters),
  })
  const total = read.data?.foot[0]
  if (total === undefined) return null
  return (
    <Totals
      totals={[
        { name: t(`reports.micros.${report}`), value: usd(total.micros) },
        { name: t(`reports.balance.${report}`), value: usd(total.referral_micros) },
        ...(report === 'referral'
          ? []
          : [{ name: t(`reports.bytes.${report}`), value: traffic(total.bytes) }]),
        { name: t(`reports.count.${report}`), value: number(total.kind ?? 0) },
      ]}
    />
  )
}

function usePostingColumns(report: Report): readonly Column<Row>[] {
  const { t } = useTranslation(['deskMoney', 'deskPages', 'header'])
  const { usd, traffic } = useFigures()
  const methodName = useMethodName()
  return useMemo(() => {
    const amount = (id: 'micros' | 'referral_micros', title: string): Column<Row> => ({
      id,
      title,
      numeric: true,
      phone: id === 'micros',
      cell: (row) => usd(row[id]),
    })
    const bytes: Column<Row> = {
      id: 'bytes',
      title: report === 'referral' ? '' : t(`reports.bytes.${report}`),
      numeric: true,
      cell: (row) => traffic(row.bytes),
    }
    return [
      {
        id: 'at',
        title: t('deskPages:column.at'),
        fixed: true,
        phone: true,
        cell: ({ at }) => at !== null && <Moment iso={at} recent />,
      },
      {
        id: 'invoice',
        title: t('deskPages:column.invoice'),
        phone: true,
        cell: ({ invoice_number: invoice }) => invoice !== null && <InvoiceLink number={invoice} />,
      },
      {
        id: 'customer',
        title: t('deskPages:column.customer'),
        cell: (row) =>
          row.customer_id !== null && <CustomerLink id={row.customer_id} name={row.customer_name} />,
      },
      {
        id: 'pool',
        title: t('deskPages:column.pool'),
        cell: ({ pool }) => pool !== null && t(`header:pools.${pool as Pool}`),
      },
      {
        id: 'method',
        title: t('reports.key.method'),
        cell: ({ method }) => methodName(method ?? referralMethod),
      },
      amount('micros', t(`reports.micros.${report}`)),
      amount('referral_micros', t(`reports.balance.${report}`)),
      ...(report === 'referral' ? [] : [bytes]),
      { id: 'promo', title: t('reports.key.promo'), cell: (row) => row.promo_code },
      { id: 'campaign', title: t('reports.key.campaign'), optional: true, cell: ({ campaign }) => campaign },
      {
        id: 'kind',
        title: t('postings.kind'),
        optional: report !== 'referral',
        cell: ({ kind }) => <code translate="no">{kind}</code>,
      },
      { id: 'id', title: t('postings.id'), numeric: true, optional: true, cell: ({ id }) => id },
    ]
  }, [t, usd, traffic, report, methodName])
}
