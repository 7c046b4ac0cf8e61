import { useQuery } from '@tanstack/react-query'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Download from 'lucide-react/icons/download'
import { lazy, Suspense, useId } from 'react'
import type { Pool } from '#contract/wire'
import { query } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { formatNumber, formatTraffic, type Language } from '../../ui/format.ts'
import { LaneChart, LaneKey } from '../../ui/lane-chart.tsx'
import { Odometer } from '../../ui/odometer.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { saveFile } from '../save-file.ts'
import { tabHref } from '../tabs.ts'
import { usageCsv } from './csv.ts'
import styles from './period-section.module.css'
import { type Usage, usageOf } from './usage.ts'

interface PeriodSectionProps {
  period: 'week' | 'month'
  pool: Pool
  open: boolean
  canGenerate: boolean
  onToggle: () => void
}

/** The chart's library is fetched when there is something to draw. */
const UsageChart = lazy(() => import('./usage-chart.tsx'))

const refreshMs = 5000

/** A period: its total always in view, its days when it is opened. */
export function PeriodSection({ period, pool, open, canGenerate, onToggle }: PeriodSectionProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  const days = useId()
  const { data, isError, refetch } = useQuery({
    ...query('legacy_get_statistic', { period, pool }),
    staleTime: 0,
    refetchInterval: refreshMs,
    select: usageOf,
  })
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={days}
          onClick={onToggle}
        >
          <span className={styles.words}>
            <span className={styles.name}>{t(`statistics.${period}`)}</span>
            <span className={styles.note}>{t(`statistics.${period}Note`)}</span>
          </span>
          <span className={styles.total}>
            <span className="sr-only">{t('statistics.total')}: </span>
            {data === undefined ? (
              <Skeleton characters={8} />
            ) : (
              <Odometer value={formatTraffic(data.totalBytes, language)} />
            )}
          </span>
          <ChevronDown
            size={22}
            aria-hidden="true"
            className={classes(styles.chevron, open && styles.turned)}
          />
        </button>
      </h2>
      <div id={days} hidden={!open} className={styles.body}>
        {data !== undefined && <Totals usage={data} language={language} file={`${pool}-${period}.csv`} />}
        {data !== undefined && data.totalBytes === 0n && <Empty canGenerate={canGenerate} />}
        {data !== undefined && data.totalBytes > 0n && <Days usage={data} language={language} />}
        {data !== undefined && data.totalBytes > 0n && open && (
          <Suspense fallback={<div className={styles.chartPlace} />}>
            <UsageChart usage={data} />
          </Suspense>
        )}
        {data === undefined && isError && (
          <div className={styles.message} role="status">
            <p>{t('statistics.failed')}</p>
            <Button onClick={() => void refetch()}>{t('statistics.retry')}</Button>
          </div>
        )}
        {data === undefined && !isError && <Waiting rows={period === 'week' ? 7 : 30} />}
      </div>
    </section>
  )
}

function Totals({ usage, language, file }: { usage: Usage; language: Language; file: string }) {
  const { t } = useTranslation('userPanel')
  return (
    <div className={styles.totalsLine}>
      <dl className={styles.totals}>
        <div className={styles.part}>
          <dt>
            <LaneKey kind="paid" />
            {t('statistics.paid')}
          </dt>
          <dd className="mono">{formatTraffic(usage.paidBytes, language)}</dd>
        </div>
        <div className={styles.part}>
          <dt>
            <LaneKey kind="bonus" />
            {t('statistics.bonus')}
          </dt>
          <dd className="mono">{formatTraffic(usage.bonusBytes, language)}</dd>
        </div>
        <div className={styles.part}>
          <dt>{t('statistics.requests')}</dt>
          <dd className="mono">{formatNumber(usage.requests, language)}</dd>
        </div>
      </dl>
      {usage.totalBytes > 0n && (
        <Button
          size="small"
          icon={<Download size={16} aria-hidden="true" />}
          onClick={() => saveFile(file, usageCsv(usage), 'text/csv')}
        >
          {t('statistics.csv')}
        </Button>
      )}
    </div>
  )
}

function Days({ usage, language }: { usage: Usage; language: Language }) {
  const { t } = useTranslation('userPanel')
  // The days are UTC days: shown in any other zone they would bear the wrong date.
  const date = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return (
    <LaneChart
      label={t('statistics.chart')}
      headings={{
        day: t('statistics.day'),
        traffic: t('statistics.traffic'),
        bonus: t('statistics.bonus'),
        requests: t('statistics.requests'),
      }}
      days={usage.days.toReversed().map((day) => ({
        key: day.date,
        label: date.format(new Date(`${day.date}T00:00:00Z`)),
        paid: day.paidShare,
        bonus: day.bonusShare,
        figures: {
          traffic: formatTraffic(day.bytes, language),
          bonus: day.bonusBytes === 0n ? '—' : formatTraffic(day.bonusBytes, language),
          requests: formatNumber(day.requests, language),
        },
      }))}
    />
  )
}

function Empty({ canGenerate }: { canGenerate: boolean }) {
  const { t } = useTranslation('userPanel')
  return (
    <div className={styles.message}>
      <p className={styles.emptyTitle}>{t('statistics.empty')}</p>
      <p>{t('statistics.emptyText')}</p>
      {canGenerate && <Button href={tabHref('panel')}>{t('statistics.toPanel')}</Button>}
    </div>
  )
}

function Waiting({ rows }: { rows: number }) {
  return (
    <div className={styles.waiting} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} characters={60} />
      ))}
    </div>
  )
}
