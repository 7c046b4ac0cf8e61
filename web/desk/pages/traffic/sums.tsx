import { useMemo } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Section } from '../../parts/section.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'
import { useFigures } from '../../parts/use-figures.ts'
import type { Column } from '../../table/columns.ts'
import { List } from '../../table/list.tsx'
import styles from './traffic.module.css'

export type SumFilters = Omit<DeskInput<'traffic_sums'>, 'by'>
type By = DeskInput<'traffic_sums'>['by']
type Sum = DeskOutput<'traffic_sums'>['rows'][number]

const dimensions = ['pool', 'exit', 'country', 'hour', 'day'] as const satisfies readonly By[]

/**
 * The traffic of the period by the chosen dimension; a pool or an exit links to the sums of its own traffic.
 */
export function Sums({ filters }: { filters: SumFilters }) {
  const { t } = useTranslation('deskTraffic')
  const [search] = useSearchParams()
  const [, setParameter] = useSearchParameter()
  const by = dimensions.find((each) => each === search.get('by')) ?? 'pool'
  const columns = useSumColumns(by)
  return (
    <Section title={t('traffic.divided')}>
      <div className={styles.part}>
        <List
          call="traffic_sums"
          label={t(`traffic.by.${by}`)}
          filters={useMemo(() => ({ by, ...filters }), [by, filters])}
          columns={columns}
          rowId={({ key }) => key}
          empty={<p>{t('traffic.none')}</p>}
          bar={
            <Segmented
              label={t('traffic.divided')}
              value={by}
              options={dimensions.map((value) => ({ value, label: t(`traffic.by.${value}`) }))}
              onChange={(value) => setParameter('by', value === 'pool' ? null : value)}
            />
          }
        />
        {by === 'country' && <p className={styles.note}>{t('traffic.byRecords')}</p>}
      </div>
    </Section>
  )
}

/** The name of a row, with a link to its own sums. */
function Key({ by, row }: { by: By; row: Sum }) {
  const { t } = useTranslation(['deskTraffic', 'header'])
  const language = useLanguage()
  const countryName = useCountryName()
  const { search } = useLocation()
  const own = (field: string) => {
    const parameters = new URLSearchParams(search)
    parameters.set(field, row.key)
    parameters.set('by', 'hour')
    return `?${parameters.toString()}`
  }
  if (by === 'pool') return <Link to={own('pool')}>{t(`header:pools.${row.key as Pool}`)}</Link>
  if (by === 'exit')
    return row.key === '0' ? (
      <span>{t('traffic.noExit')}</span>
    ) : (
      <Link to={own('exit')}>{row.name ?? `#${row.key}`}</Link>
    )
  if (by === 'country') return <span>{row.key === '' ? t('traffic.noCountry') : countryName(row.key)}</span>
  const day = new Date(row.key).toLocaleString(language, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    ...(by === 'hour' ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : {}),
  })
  return <span>{day}</span>
}

function useSumColumns(by: By): readonly Column<Sum>[] {
  const { t } = useTranslation('deskTraffic')
  const { traffic, number } = useFigures()
  return useMemo(
    (): readonly Column<Sum>[] => [
      {
        id: 'key',
        title: t(`traffic.key.${by}`),
        fixed: true,
        phone: true,
        cell: (row) => <Key by={by} row={row} />,
      },
      {
        id: 'charged',
        title: t('traffic.used'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.charged_bytes),
      },
      {
        id: 'bonus',
        title: t('traffic.bonus'),
        numeric: true,
        cell: (row) => (row.bonus_bytes === null ? '' : traffic(row.bonus_bytes)),
      },
      {
        id: 'relayed',
        title: t('traffic.relayed'),
        numeric: true,
        optional: true,
        cell: (row) => traffic(row.relayed_bytes),
      },
      {
        id: 'requests',
        title: t('traffic.requests'),
        numeric: true,
        phone: true,
        cell: ({ requests }) => number(requests),
      },
    ],
    [by, t, traffic, number],
  )
}
