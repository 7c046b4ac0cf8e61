import { useToldRead } from '../../state/told-read.ts'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { customerSorts, customerStates } from '#contract/desk/choices'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { List } from '../../table/list.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { SavedViews } from '../../table/views.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { useCustomerColumns } from './columns.tsx'
import styles from './customers.module.css'
import { filtersOf } from './filters.ts'
import { MoreFilters } from './more-filters.tsx'

const byMargin: ReadonlySet<string> = new Set(['margin', 'least_margin'])

/** Customers whose use costs more than it brings, the largest losses first. */
const lossMakers = 'sort=least_margin&margin=loss'

export function CustomersPage() {
  const { t } = useTranslation('deskPages')
  const [search] = useSearchParams()
  const filters = useMemo(() => filtersOf(search), [search])
  const columns = useCustomerColumns({
    byMargin: search.has('margin') || byMargin.has(search.get('sort') ?? ''),
  })
  const tags = useToldRead(query('tags', {}))
  const [chosen, setChosen] = useState<Record<string, true>>({})
  const ids = Object.keys(chosen)
  const mayMargin = useMay()('margin_report')
  return (
    <>
      <PageHead
        title={t('customers.title')}
        actions={
          <SavedViews shipped={mayMargin ? [{ name: t('customers.lossMakers'), query: lossMakers }] : []} />
        }
      />
      <List
        call="customers"
        label={t('customers.title')}
        filters={filters}
        columns={columns}
        rowId={(row) => row.id}
        selection={{ chosen, onChange: setChosen }}
        note={({ balances_at: balances, margins_at: margins }) => (
          <>
            {balances !== null && (
              <p className={styles.note}>
                <span>{t('customers.balancesAt')}</span> <Moment iso={balances} recent />
              </p>
            )}
            {margins !== null && (
              <p className={styles.note}>
                <span>{t('customers.marginsAt')}</span> <Moment iso={margins} recent />
              </p>
            )}
          </>
        )}
        empty={<p>{t(search.size === 0 ? 'customers.none' : 'customers.noneFound')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="text" label={t('customers.search')} main />
            <ChoiceFilter
              field="state"
              label={t('column.state')}
              all={t('filter.anyState')}
              options={customerStates.map((value) => ({ value, label: t(`customerState.${value}`) }))}
            />
            <ChoiceFilter
              field="tag"
              label={t('customers.tag')}
              all={t('filter.anyTag')}
              options={(tags.data ?? []).map(({ tag, customers }) => ({
                value: tag,
                label: `${tag} (${customers})`,
              }))}
            />
            <ChoiceFilter
              field="sort"
              label={t('filter.order')}
              all={t('customers.sort.newest')}
              options={customerSorts
                .filter((sort) => sort !== 'newest' && (mayMargin || !byMargin.has(sort)))
                .map((value) => ({ value, label: t(`customers.sort.${value}`) }))}
            />
            <DayFilter field="seen_from" label={t('customers.seenFrom')} />
            <MoreFilters />
          </FilterBar>
        }
      />
      {ids.length > 0 && (
        <BulkBar
          ids={ids}
          filters={filters}
          onChoose={(all) => setChosen(Object.fromEntries(all.map((id) => [id, true])))}
          onDone={() => setChosen({})}
        />
      )}
    </>
  )
}
