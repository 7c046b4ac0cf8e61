import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { invoiceNeeds, invoiceStates } from '#contract/desk/choices'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { List } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { useInvoiceColumns } from '../../subjects/invoice-columns.tsx'
import styles from './invoices.module.css'

const filterNames = [
  'text',
  'state',
  'pool',
  'method',
  'promo_code',
  'customer_id',
  'disputed',
  'need',
  'from',
  'until',
  'settled_from',
  'settled_until',
]
type Filters = Omit<DeskInput<'invoices'>, 'after' | 'limit'>

export function InvoicesPage() {
  const { t } = useTranslation(['deskPages', 'header'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const columns = useInvoiceColumns()
  return (
    <>
      <PageHead title={t('invoices.title')} actions={<SavedViews />} />
      {Object.keys(filters).length > 0 && <Sums filters={filters} />}
      <List
        call="invoices"
        label={t('invoices.title')}
        filters={filters}
        columns={columns}
        rowId={(row) => row.number}
        empty={<p>{t(search.size === 0 ? 'invoices.none' : 'invoices.noneFound')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="text" label={t('invoices.search')} main />
            <ChoiceFilter
              field="state"
              label={t('column.state')}
              all={t('filter.anyState')}
              options={invoiceStates.map((value) => ({ value, label: t(`invoiceState.${value}`) }))}
            />
            <ChoiceFilter
              field="pool"
              label={t('column.pool')}
              all={t('filter.anyPool')}
              options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
            />
            <ChoiceFilter
              field="disputed"
              label={t('invoices.disputed')}
              all={t('invoices.withoutDispute')}
              options={[{ value: 'true', label: t('invoices.onlyDisputed') }]}
            />
            <ChoiceFilter
              field="need"
              label={t('invoices.need')}
              all={t('invoices.anyNeed')}
              options={invoiceNeeds.map((value) => ({ value, label: t(`today.need.${value}`) }))}
            />
            <DayFilter field="from" label={t('filter.from')} />
            <DayFilter field="until" label={t('filter.until')} />
            <DayFilter field="settled_from" label={t('invoices.settledFrom')} />
            {(search.has('settled_from') || search.has('settled_until')) && (
              <DayFilter field="settled_until" label={t('invoices.settledUntil')} />
            )}
          </FilterBar>
        }
      />
    </>
  )
}

/** The totals of the filtered invoices. */
function Sums({ filters }: { filters: Filters }) {
  const { t } = useTranslation('deskPages')
  const { usd, traffic, number } = useFigures()
  const sums = useQuery({ ...query('invoice_sums', filters), placeholderData: (before) => before })
  if (sums.data === undefined) return null
  const { count, received_micros: received, referral_micros: referral, balance_micros: balance } = sums.data
  return (
    <div className={styles.sums}>
      <Totals
        totals={[
          { name: t('invoices.sum.count'), value: number(count) },
          { name: t('invoices.sum.received'), value: usd(received) },
          { name: t('invoices.sum.referral'), value: usd(referral) },
          { name: t('invoices.sum.balance'), value: usd(balance) },
          { name: t('invoices.sum.refunded'), value: usd(sums.data.refunded_micros) },
          { name: t('invoices.sum.credited'), value: traffic(sums.data.credited_bytes) },
        ]}
      />
    </div>
  )
}
