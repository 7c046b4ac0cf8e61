import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { useSearchParameter } from '../../../state/search-parameter.ts'
import { Button } from '../../../ui/button.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useCountryName } from '../../parts/use-country-name.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'
import styles from './customer.module.css'

/** The chart’s code is loaded when the chart is first shown. */
const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }))

const ways = ['day', 'hour', 'country', 'host'] as const
type Way = (typeof ways)[number]
const daysShown: Record<Way, number> = { day: 90, hour: 3, country: 30, host: 30 }

const dayMs = 86_400_000
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Traffic of the last days, four ways; the choice stays in the address. */
export function CustomerUsage({ id }: { id: string }) {
  const { t } = useTranslation('deskCustomer')
  const mayHosts = useMay()('customer_hosts')
  const [search, setParameter] = useSearchParameter()
  const offered = ways.filter((way) => way !== 'host' || mayHosts)
  const by = offered.find((way) => way === search.get('by')) ?? 'day'
  const [now] = useState(() => Date.now())
  const period = { id, from: isoDay(now - (daysShown[by] - 1) * dayMs), until: isoDay(now) }
  return (
    <>
      <div className={styles.liveBar}>
        <Segmented<Way>
          label={t('usage.by')}
          value={by}
          options={offered.map((value) => ({ value, label: t(`usage.way.${value}`) }))}
          onChange={(next) => setParameter('by', next === 'day' ? null : next)}
        />
        <p className={styles.quiet}>{t(`usage.about.${by}`)}</p>
      </div>
      {by === 'day' && (
        <>
          <Suspense fallback={<div className={styles.chartPlace} />}>
            <UsageChart id={id} nowMs={now} />
          </Suspense>
          <ByDay period={period} />
        </>
      )}
      {by === 'hour' && <BySum period={period} by="hour" />}
      {by === 'country' && <BySum period={period} by="country" />}
      {by === 'host' && <ByHost period={period} />}
    </>
  )
}

interface Period {
  id: string
  from: string
  until: string
}

function ByDay({ period }: { period: Period }) {
  const { t } = useTranslation(['deskPages', 'deskCustomer', 'header'])
  const { traffic, number } = useFigures()
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_usage'>>[] => [
      { id: 'day', title: t('usage.day'), fixed: true, phone: true, cell: ({ day }) => day },
      { id: 'pool', title: t('column.pool'), phone: true, cell: ({ pool }) => t(`header:pools.${pool}`) },
      {
        id: 'charged',
        title: t('usage.charged'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.charged_bytes),
      },
      { id: 'bonus', title: t('customer.bonus'), numeric: true, cell: (row) => traffic(row.bonus_bytes) },
      { id: 'requests', title: t('usage.requests'), numeric: true, cell: ({ requests }) => number(requests) },
    ],
    [t, traffic, number],
  )
  return (
    <List
      call="customer_usage"
      label={t('deskCustomer:lists.usage')}
      filters={period}
      columns={columns}
      rowId={(row) => `${row.day}-${row.pool}`}
      empty={<p>{t('usage.none')}</p>}
    />
  )
}

/** The columns of charged and relayed traffic, for rows that have both. */
function useByteColumns(): readonly Column<{ charged_bytes: string; relayed_bytes: string }>[] {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const { traffic } = useFigures()
  return useMemo(
    () => [
      {
        id: 'charged',
        title: t('deskPages:usage.charged'),
        numeric: true,
        phone: true,
        cell: (row) => traffic(row.charged_bytes),
      },
      { id: 'relayed', title: t('usage.relayed'), numeric: true, cell: (row) => traffic(row.relayed_bytes) },
    ],
    [t, traffic],
  )
}

function BySum({ period, by }: { period: Period; by: 'hour' | 'country' }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const { number, recent } = useFigures()
  const countryName = useCountryName()
  const byteColumns = useByteColumns()
  const columns = useMemo((): readonly Column<RowOf<'customer_usage_by'>>[] => {
    const nameOf = (key: string) =>
      by === 'hour' ? recent(key) : /^[a-z]{2}$/i.test(key) ? countryName(key) : t('usage.unknown')
    return [
      { id: by, title: t(`usage.way.${by}`), fixed: true, phone: true, cell: ({ key }) => nameOf(key) },
      ...byteColumns,
      {
        id: 'requests',
        title: t('deskPages:usage.requests'),
        numeric: true,
        phone: true,
        cell: ({ requests }) => number(requests),
      },
    ]
  }, [t, number, recent, countryName, byteColumns, by])
  return (
    <List
      call="customer_usage_by"
      label={t('lists.usage')}
      filters={{ ...period, by }}
      columns={columns}
      rowId={(row) => row.key}
      empty={<p>{t('usage.none')}</p>}
    />
  )
}

/** The hosts: shown only for a reason, which the audit trail records. */
function ByHost({ period }: { period: Period }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const { number } = useFigures()
  const byteColumns = useByteColumns()
  const [reason, setReason] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const columns = useMemo(
    (): readonly Column<RowOf<'customer_hosts'>>[] => [
      {
        id: 'host',
        title: t('usage.way.host'),
        fixed: true,
        phone: true,
        cell: ({ host }) => (host === null ? t('usage.unknown') : <code translate="no">{host}</code>),
      },
      ...byteColumns,
      {
        id: 'connections',
        title: t('usage.connections'),
        numeric: true,
        phone: true,
        cell: ({ connections }) => number(connections),
      },
    ],
    [t, number, byteColumns],
  )
  if (reason === null)
    return (
      <div className={styles.ask}>
        <p>{t('usage.hostsText')}</p>
        <Button onClick={() => setAsking(true)}>{t('usage.hostsShow')}</Button>
        {isAsking && (
          <ActDialog
            title={t('usage.hostsTitle')}
            description={t('usage.hostsText')}
            submit={t('usage.hostsShow')}
            pending={false}
            fault={undefined}
            onClose={() => setAsking(false)}
            onSubmit={setReason}
          />
        )}
      </div>
    )
  return (
    <List
      call="customer_hosts"
      label={t('usage.way.host')}
      filters={{ ...period, reason }}
      columns={columns}
      rowId={(row) => row.host ?? ''}
      empty={<p>{t('usage.none')}</p>}
    />
  )
}
