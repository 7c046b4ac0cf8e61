import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { invoiceStates } from '#contract/desk/choices'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { List } from '../../table/list.tsx'
import { useInvoiceColumns } from '../../subjects/invoice-columns.tsx'

const filterNames = ['text', 'state', 'pool', 'method', 'promo_code', 'disputed', 'from', 'until']
type Filters = Omit<DeskInput<'invoices'>, 'after' | 'limit'>

export function InvoicesPage() {
  const { t } = useTranslation(['deskPages', 'header'])
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const columns = useInvoiceColumns()
  return (
    <>
      <PageHead title={t('invoices.title')} />
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
            <DayFilter field="from" label={t('filter.from')} />
            <DayFilter field="until" label={t('filter.until')} />
          </FilterBar>
        }
      />
    </>
  )
}
