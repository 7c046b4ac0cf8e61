import { useQuery } from '@tanstack/react-query'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Download from 'lucide-react/icons/download'
import { Suspense, useId } from 'react'
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatNumber } from '../../ui/format.ts'
import { UsageBars, UsageSwatch } from '../../ui/graphics/usage-bars.tsx'
import { Odometer } from '../../ui/odometer.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { downloadText } from '../../ui/download-text.ts'
import { tabHref } from '#contract/account-tabs'
import { usageCsv } from './csv.ts'
import styles from './period-section.module.css'
import { type Usage, usageOf } from './usage.ts'
import { useTrafficFigure } from './use-traffic-figure.ts'

interface PeriodSectionProps {
  period: 'week' | 'month'
  pool: Pool
  open: boolean
  canGenerate: boolean
  onToggle: () => void
}

/** Fetched with the chart library, once there is something to draw. */
const UsageChart = lazyPart(async () => (await import('./usage-chart.tsx')).UsageChart)

const intervalMs = 5000

/** A period: its total, and its days when the section is open. */
export function PeriodSection({ period, pool, open, canGenerate, onToggle }: PeriodSectionProps) {
  const { t } = useTranslation(['userPanel', 'usage'])
  const language = useLanguage()
  const bodyId = useId()
  const figure = useTrafficFigure()
  const { data, isError, refetch } = useQuery({
    ...query('legacy_get_statistic', { period, pool }),
    staleTime: 0,
    refetchInterval: intervalMs,
    select: usageOf,
  })
  return (
    <section className={styles.section}>
      <h2>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={onToggle}
        >
          <span className={styles.titles}>
            <span className={styles.name}>{t(`usage:statistics.${period}`)}</span>
            <span className={styles.note}>{t(`usage:statistics.${period}Note`)}</span>
          </span>
          <span className={styles.total}>
            <span className="sr-only">{`${t('usage:statistics.total')}: `}</span>
            {data === undefined ? <Skeleton characters={8} /> : <Odometer value={figure(data.totalBytes)} />}
          </span>
          <ChevronDown
            size={22}
            aria-hidden="true"
            className={classNames(styles.chevron, open && styles.turned)}
          />
        </button>
      </h2>
      <div id={bodyId} hidden={!open} className={styles.body}>
        {data !== undefined && <Totals usage={data} language={language} file={`${pool}-${period}.csv`} />}
        {data !== undefined && data.totalBytes === 0n && <NoTraffic canGenerate={canGenerate} />}
        {data !== undefined && data.totalBytes > 0n && <Days usage={data} language={language} />}
        {data !== undefined && data.totalBytes > 0n && open && (
          <Suspense fallback={<div className={styles.chartPlace} />}>
            <UsageChart usage={data} />
          </Suspense>
        )}
        {data === undefined && isError && (
          <div className={styles.message} role="status">
            <p>{t('usage:statistics.failed')}</p>
            <Button onClick={() => void refetch()}>{t('usage:statistics.retry')}</Button>
          </div>
        )}
        {data === undefined && !isError && <DaysSkeleton rows={period === 'week' ? 7 : 30} />}
      </div>
    </section>
  )
}

function Totals({ usage, language, file }: { usage: Usage; language: Language; file: string }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  const figure = useTrafficFigure()
  return (
    <div className={styles.totalsLine}>
      <dl className={styles.totals}>
        <div className={styles.part}>
          <dt>
            <UsageSwatch kind="paid" />
            <span>{t('usage:statistics.paid')}</span>
          </dt>
          <dd translate="no" className="mono">
            {figure(usage.paidBytes)}
          </dd>
        </div>
        <div className={styles.part}>
          <dt>
            <UsageSwatch kind="bonus" />
            <span>{t('usage:statistics.bonus')}</span>
          </dt>
          <dd translate="no" className="mono">
            {figure(usage.bonusBytes)}
          </dd>
        </div>
        <div className={styles.part}>
          <dt>{t('usage:statistics.requests')}</dt>
          <dd translate="no" className="mono">
            {formatNumber(usage.requests, language)}
          </dd>
        </div>
      </dl>
      {usage.totalBytes > 0n && (
        <Button
          size="small"
          icon={<Download size={16} aria-hidden="true" />}
          onClick={() => downloadText(file, usageCsv(usage), 'text/csv')}
        >
          {t('usage:statistics.csv')}
        </Button>
      )}
    </div>
  )
}

function Days({ usage, language }: { usage: Usage; language: Language }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  const figure = useTrafficFigure()
  // Days are counted in UTC; another time zone would show a wrong date.
  const date = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return (
    <UsageBars
      label={t('usage:statistics.chart')}
      headings={{
        day: t('usage:statistics.day'),
        traffic: t('usage:statistics.traffic'),
        bonus: t('usage:statistics.bonus'),
        requests: t('usage:statistics.requests'),
      }}
      days={usage.days.toReversed().map((day) => ({
        key: day.date,
        label: date.format(new Date(`${day.date}T00:00:00Z`)),
        paid: day.paidShare,
        bonus: day.bonusShare,
        figures: {
          traffic: figure(day.bytes),
          bonus: day.bonusBytes === 0n ? '—' : figure(day.bonusBytes),
          requests: formatNumber(day.requests, language),
        },
      }))}
    />
  )
}

function NoTraffic({ canGenerate }: { canGenerate: boolean }) {
  const { t } = useTranslation(['userPanel', 'usage'])
  return (
    <div className={styles.message}>
      <p className={styles.emptyTitle}>{t('usage:statistics.empty')}</p>
      <p>{t('usage:statistics.emptyText')}</p>
      {canGenerate && <Button href={tabHref('panel')}>{t('usage:statistics.toPanel')}</Button>}
    </div>
  )
}

function DaysSkeleton({ rows }: { rows: number }) {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} characters={60} />
      ))}
    </div>
  )
}
