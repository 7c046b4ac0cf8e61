import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { DeskInput } from '#contract/desk/contract'
import { customerSorts } from '#contract/desk/choices'
import { useTranslation } from '../../../state/i18n.ts'
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { List } from '../../table/list.tsx'
import { query } from '../../state/api.ts'
import { BulkBar } from './bulk-bar.tsx'
import { useCustomerColumns } from './columns.tsx'

const states = ['active', 'unconfirmed', 'blocked'] as const

const filterNames = ['text', 'state', 'tag', 'seen_from', 'seen_to', 'campaign', 'inviter', 'sort']
type Filters = Omit<DeskInput<'customers'>, 'after' | 'limit'>

export function CustomersPage() {
  const { t } = useTranslation('deskPages')
  const [search] = useSearchParams()
  const filters = useMemo(() => given(search, filterNames) as Filters, [search])
  const columns = useCustomerColumns()
  const tags = useQuery(query('tags', {}))
  const [chosen, setChosen] = useState<Record<string, true>>({})
  const ids = Object.keys(chosen)
  return (
    <>
      <PageHead title={t('customers.title')} />
      <List
        call="customers"
        label={t('customers.title')}
        filters={filters}
        columns={columns}
        rowId={(row) => row.id}
        selection={{ chosen, onChange: setChosen }}
        empty={<p>{t(search.size === 0 ? 'customers.none' : 'customers.noneFound')}</p>}
        bar={
          <FilterBar>
            <TextFilter field="text" label={t('customers.search')} main />
            <ChoiceFilter
              field="state"
              label={t('column.state')}
              all={t('filter.anyState')}
              options={states.map((value) => ({ value, label: t(`customerState.${value}`) }))}
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
                .filter((sort) => sort !== 'newest')
                .map((value) => ({ value, label: t(`customers.sort.${value}`) }))}
            />
            <DayFilter field="seen_from" label={t('customers.seenFrom')} />
          </FilterBar>
        }
      />
      {ids.length > 0 && <BulkBar ids={ids} onDone={() => setChosen({})} />}
    </>
  )
}
