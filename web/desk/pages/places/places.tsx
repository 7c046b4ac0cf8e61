import { useToldRead } from '../../state/told-read.ts'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { DeskInput } from '#contract/desk/contract'
import { pools } from '#contract/wire'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import { SavedViews } from '../../table/views.tsx'
import { ImportDialog } from './import-dialog.tsx'
import styles from './places.module.css'
import { SourceList } from './sources.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'

type Filters = Omit<DeskInput<'places'>, 'after' | 'limit'>
type Row = RowOf<'places'>

const tabs = ['offered', 'sources'] as const

export function PlacesPage() {
  const { t } = useTranslation('deskPlaces')
  const may = useMay()
  const [search, setParameter] = useSearchParameter()
  const [isImporting, setImporting] = useState(false)
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'offered'
  return (
    <>
      <PageHead
        title={t('places.title')}
        actions={
          <>
            <SavedViews />
            {may('import_places') && (
              <Button variant="primary" onClick={() => setImporting(true)}>
                {t('places.import')}
              </Button>
            )}
          </>
        }
      />
      <div className={styles.page}>
        <Segmented
          label={t('places.show')}
          value={tab}
          options={tabs.map((value) => ({ value, label: t(`places.tab.${value}`) }))}
          onChange={(next) => setParameter('tab', next === 'offered' ? null : next)}
        />
        {tab === 'offered' ? <OfferedList /> : <SourceList />}
      </div>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  )
}

/** The places of each pool by country, with their sources. */
function OfferedList() {
  const { t } = useTranslation(['deskPlaces', 'header'])
  const { number } = useFigures()
  const countryName = useCountryName()
  const [search] = useSearchParams()
  const sources = useToldRead(query('place_sources', {}))
  const filters = useMemo(() => given(search, ['pool', 'country', 'source']) as Filters, [search])
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'country',
        title: t('places.country'),
        fixed: true,
        phone: true,
        cell: ({ country }) => (
          <>
            <span>{countryName(country)}</span>{' '}
            <code translate="no" className={styles.quiet}>
              {country}
            </code>
          </>
        ),
      },
      { id: 'pool', title: t('places.pool'), phone: true, cell: ({ pool }) => t(`header:pools.${pool}`) },
      {
        id: 'addresses',
        title: t('places.addresses'),
        numeric: true,
        phone: true,
        cell: ({ addresses }) => number(addresses),
      },
      { id: 'states', title: t('places.states'), numeric: true, cell: ({ states }) => number(states) },
      { id: 'cities', title: t('places.cities'), numeric: true, cell: ({ cities }) => number(cities) },
      { id: 'from', title: t('places.from'), cell: ({ from }) => from.join(', ') },
    ],
    [t, number, countryName],
  )
  return (
    <List
      call="places"
      label={t('places.title')}
      filters={filters}
      columns={columns}
      rowId={({ pool, country }) => `${pool} ${country}`}
      empty={<p>{t(Object.keys(filters).length === 0 ? 'places.none' : 'places.noneFound')}</p>}
      bar={
        <FilterBar>
          <ChoiceFilter
            field="pool"
            label={t('places.pool')}
            all={t('places.anyPool')}
            options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
          />
          <ChoiceFilter
            field="source"
            label={t('places.from')}
            all={t('places.anySource')}
            options={(sources.data ?? []).map(({ name, exit }) => ({
              value: name,
              label: exit?.name ?? name,
            }))}
          />
        </FilterBar>
      }
    />
  )
}
