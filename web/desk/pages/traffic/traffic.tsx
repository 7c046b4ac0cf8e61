import { useToldRead } from '../../state/told-read.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { Chart } from '../../parts/chart.tsx'
import { ChoiceFilter, FilterBar } from '../../parts/filters.tsx'
import { given } from '../../parts/given.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Totals } from '../../parts/totals.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { previousRows } from '../../state/previous-rows.ts'
import { useMay } from '../../state/session.ts'
import { SavedViews } from '../../table/views.tsx'
import { Live } from './live.tsx'
import { barsOf, namedSpan, type Period, periods, spanOf, totalOf } from './period.ts'
import { Refusals } from './refusals.tsx'
import { Sums, type SumFilters } from './sums.tsx'
import styles from './traffic.module.css'

const freshMs = 60_000

/** The current time, updated once a minute, so that the period moves on. */
function useMinute(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), freshMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

export function TrafficPage() {
  const { t } = useTranslation(['deskTraffic', 'deskPages', 'header'])
  const may = useMay()
  const [search] = useSearchParams()
  const period = periods.find((each) => each === search.get('period')) ?? 'day'
  const now = useMinute()
  const end = spanOf(period, now).until
  const [begin, until] = [search.get('from'), search.get('until')]
  const named = useMemo(() => namedSpan(begin, until), [begin, until])
  const last = useMemo(() => spanOf(period, Date.parse(end) - 1), [period, end])
  const span = named ?? last
  const filters = useMemo(
    () => ({ ...given(search, ['pool', 'exit']), from: span.from, until: span.until }) as SumFilters,
    [search, span],
  )
  return (
    <>
      <PageHead
        title={t('traffic.title')}
        actions={
          <>
            <PeriodChoice period={named === null ? period : null} />
            <SavedViews />
          </>
        }
      />
      <div className={styles.page}>
        {may('gateways') && <Live />}
        <section className={styles.part} aria-label={t('traffic.chart')}>
          <TrafficFilters />
          <Over filters={filters} span={span} />
        </section>
        <Sums filters={filters} />
        {may('refusals') && <Refusals from={span.from} until={span.until} />}
      </div>
    </>
  )
}

function PeriodChoice({ period }: { period: Period | null }) {
  const { t } = useTranslation('deskTraffic')
  const [, setSearch] = useSearchParams()
  const choose = (value: Period | '') =>
    setSearch(
      (next) => {
        for (const name of ['from', 'until', 'period']) next.delete(name)
        if (value !== '' && value !== 'day') next.set('period', value)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <Segmented<Period | ''>
      label={t('traffic.period')}
      value={period ?? ''}
      options={periods.map((value) => ({ value, label: t(`traffic.periods.${value}`) }))}
      onChange={choose}
    />
  )
}

function TrafficFilters() {
  const { t } = useTranslation(['deskTraffic', 'deskPages', 'header'])
  const mayExits = useMay()('exits')
  const exits = useToldRead({ ...query('exits', {}), enabled: mayExits })
  return (
    <FilterBar>
      <ChoiceFilter
        field="pool"
        label={t('deskPages:column.pool')}
        all={t('deskPages:filter.anyPool')}
        options={pools.map((value) => ({ value, label: t(`header:pools.${value}`) }))}
      />
      {exits.data !== undefined && (
        <ChoiceFilter
          field="exit"
          label={t('traffic.key.exit')}
          all={t('traffic.anyExit')}
          options={exits.data.map(({ id, name, pool }) => ({
            value: id,
            label: `${name} · ${t(`header:pools.${pool}`)}`,
          }))}
        />
      )}
    </FilterBar>
  )
}

/** The traffic of the period over time, and its totals. */
function Over({ filters, span }: { filters: SumFilters; span: ReturnType<typeof spanOf> }) {
  const { t } = useTranslation('deskTraffic')
  const { traffic, number, language } = useFigures()
  const sums = useQuery({
    ...query('traffic_sums', { by: span.by, ...filters }),
    refetchInterval: freshMs,
    placeholderData: previousRows({ by: span.by }),
  })
  return (
    <Loaded query={sums}>
      {({ rows }) => {
        const { charged, bonus, relayed, requests } = totalOf(rows)
        const when = (at: string) =>
          new Date(at).toLocaleString(language, {
            timeZone: 'UTC',
            day: 'numeric',
            month: 'short',
            ...(span.by === 'hour' ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' as const } : {}),
          })
        return (
          <>
            <Totals
              totals={[
                { name: t('traffic.used'), value: traffic(charged) },
                { name: t('traffic.bonus'), value: traffic(bonus) },
                { name: t('traffic.relayed'), value: traffic(relayed) },
                { name: t('traffic.requests'), value: number(requests) },
              ]}
            />
            <Chart
              bars={barsOf(span, rows)}
              stepMs={span.stepMs}
              format={traffic}
              readout={(bar) =>
                bar === null
                  ? `${t('traffic.chart')}. ${t('traffic.hover')}`
                  : `${when(bar.at)}: ${t('traffic.paidPart')} ${traffic(bar.front)}, ${t('traffic.bonusPart')} ${traffic(bar.total - bar.front)}`
              }
            />
          </>
        )
      }}
    </Loaded>
  )
}
