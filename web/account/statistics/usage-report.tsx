import { useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { downloadText } from '../../ui/download-text.ts'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { hourOf } from '../../ui/format-time.ts'
import {
  dayOf,
  daysOf,
  dimensions,
  everyDay,
  presets,
  printOnly,
  type Report,
  reportCsv,
  reportIn,
  type ReportRow,
} from './report.ts'
import styles from './usage-report.module.css'
import { UsageRows } from './usage-rows.tsx'
import { useTrafficFigure } from './use-traffic-figure.ts'
import { useOutcomeName } from '../requests/outcome.tsx'

type ReportRequest = ReturnType<typeof reportIn>

/** Usage of any period by one dimension; everything chosen stands in the address. */
export function UsageReport({ pool }: { pool: Pool }) {
  const { t } = useTranslation('usage')
  const [search, setParameter, setParameters] = useSearchParameter()
  const [now] = useState(() => Date.now())
  const asked = { ...reportIn(search, now) }
  if (search.get('usage') !== 'all') asked.pool = pool
  const isPeriod = asked.from <= asked.to
  const report = useQuery({ ...query('get_usage', asked), enabled: isPeriod })
  return (
    <Card as="section" aria-label={t('title')} padding="large">
      <h2 className={styles.title}>{t('title')}</h2>
      <Period asked={asked} now={now} setParameters={setParameters} isPeriod={isPeriod} />
      <div className={styles.filters}>
        <SelectField
          label={t('by')}
          value={asked.by}
          options={dimensions
            .filter((each) => each !== 'hour' || daysOf(asked) <= 31)
            .map((value) => ({ value, label: t(value) }))}
          onChange={(by) => setParameters({ only: null, by: by === 'day' ? null : by })}
        />
        <SelectField
          label={t('pool')}
          value={asked.pool === undefined ? 'all' : 'one'}
          options={[
            { value: 'one', label: t('onePool') },
            { value: 'all', label: t('all') },
          ]}
          onChange={(value) => setParameter('usage', value === 'all' ? 'all' : null)}
        />
      </div>
      {asked.only !== undefined && <OnlyChip asked={asked} onClear={() => setParameter('only', null)} />}
      {report.data !== undefined && isPeriod && (
        <Shown
          report={report.data}
          asked={asked}
          onChoose={(row) => {
            if (asked.by === 'day' || asked.by === 'hour') return
            setParameter('only', printOnly({ part: asked.by, key: row.target ?? row.key }))
          }}
        />
      )}
      {report.data === undefined && isPeriod && !report.isError && (
        <div className={styles.waiting} aria-hidden="true">
          {Array.from({ length: 8 }, (_, row) => (
            <Skeleton key={row} characters={60} />
          ))}
        </div>
      )}
      {report.isError && (
        <div className={styles.message} role="status">
          <p>{t('failed')}</p>
          <Button onClick={() => void report.refetch()}>{t('retry')}</Button>
        </div>
      )}
      <p className={styles.note}>{t('parts')}</p>
    </Card>
  )
}

interface PeriodProps {
  asked: ReportRequest
  now: number
  isPeriod: boolean
  setParameters: (values: Readonly<Record<string, string | null>>) => void
}

function Period({ asked, now, isPeriod, setParameters }: PeriodProps) {
  const { t } = useTranslation('usage')
  const known = presets(now)
  const names = Object.keys(known) as (keyof typeof known)[]
  const chosen = names.find((name) => known[name][0] === asked.from && known[name][1] === asked.to)
  const labels = {
    week: t('lastDays', { count: 7 }),
    month: t('lastDays', { count: 30 }),
    thisMonth: t('thisMonth'),
    lastMonth: t('lastMonth'),
  }
  const options = names.map((value) => ({ value, label: labels[value] }))
  return (
    <div className={styles.period}>
      <Segmented
        label={t('presets')}
        value={chosen ?? ''}
        options={options as { value: string; label: string }[]}
        onChange={(name) => {
          const [from, to] = known[name as keyof typeof known]
          setParameters({ from, to })
        }}
      />
      <div className={styles.days}>
        {(['from', 'to'] as const).map((end) => (
          <TextField
            key={end}
            type="date"
            label={t(end)}
            value={asked[end]}
            max={dayOf(now)}
            error={isPeriod || end === 'from' ? undefined : t('badPeriod')}
            onChange={(event) => {
              if (event.target.value !== '') setParameters({ [end]: event.target.value })
            }}
          />
        ))}
      </div>
    </div>
  )
}

function OnlyChip({ asked, onClear }: { asked: ReportRequest; onClear: () => void }) {
  const { t } = useTranslation('usage')
  const nameOf = useNames(asked.only?.part ?? 'host')
  const value = nameOf({ kind: 'key', key: asked.only?.key ?? '', target: null, label: null })
  return (
    <div className={styles.only}>
      <span className={styles.onlyText}>{t('only', { value })}</span>
      <Button size="small" icon={<X size={16} aria-hidden="true" />} onClick={onClear}>
        {t('clear')}
      </Button>
    </div>
  )
}

/** A larger growth is not written as a percentage: +201,362 % says nothing. */
const mostChange = 10

function Shown({
  report,
  asked,
  onChoose,
}: {
  report: Report
  asked: ReportRequest
  onChoose: (row: ReportRow) => void
}) {
  const { t } = useTranslation('usage')
  const { number, percent } = useFormat()
  const traffic = useTrafficFigure()
  const { by, from, to } = asked
  const nameOf = useNames(by)
  const { total, before } = report
  const change = before.charged_bytes === 0 ? null : total.charged_bytes / before.charged_bytes - 1
  const earlier = traffic(BigInt(before.charged_bytes))
  const rows =
    by === 'day' ? everyDay(report.rows, asked) : by === 'hour' ? report.rows.toReversed() : report.rows
  const isEmpty = report.rows.length === 0
  return (
    <>
      <div className={styles.totals}>
        <p>
          <span translate="no" className={styles.sum}>
            {traffic(BigInt(total.charged_bytes))}
          </span>
          <span className={styles.quiet}>
            {`${t('requests')}: ${number(total.requests)}, ${t('refused')}: ${number(total.refused)}`}
          </span>
        </p>
        <p className={styles.quiet}>
          {change === null
            ? t('beforeNone')
            : change > mostChange
              ? t('beforeOnly', { traffic: earlier })
              : t('before', {
                  change: (change < 0 ? '−' : '+') + percent(Math.abs(change)),
                  traffic: earlier,
                })}
        </p>
        {!isEmpty && (
          <Button
            size="small"
            icon={<Download size={16} aria-hidden="true" />}
            onClick={() =>
              downloadText(`usage-${by}-${from}-${to}.csv`, reportCsv(report.rows, by), 'text/csv')
            }
          >
            {t('csv')}
          </Button>
        )}
      </div>
      {isEmpty ? (
        <div className={styles.message}>
          <p className={styles.emptyTitle}>{t('empty')}</p>
          <p>{t('emptyText')}</p>
        </div>
      ) : (
        <UsageRows
          label={t(by)}
          heading={t(by)}
          rows={rows}
          nameOf={nameOf}
          onChoose={by === 'day' || by === 'hour' ? undefined : onChoose}
        />
      )}
    </>
  )
}

/** What rows are called. */
function useNames(
  by: ReportRequest['by'],
): (row: Pick<ReportRow, 'kind' | 'key' | 'target' | 'label'>) => string {
  const { t } = useTranslation('usage')
  const language = useLanguage()
  const outcomeName = useOutcomeName()
  const isCountry = by === 'country' || by === 'exit_country'
  // Days and hours are counted in UTC; another time zone would show a wrong date.
  const times = new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(by === 'hour' ? hourOf(language) : { weekday: 'short' }),
  })
  // Without the year of today, a day is short enough for a phone.
  const [thisYear] = useState(() => new Date().toISOString().slice(0, 4))
  const timeOf = (value: string) => {
    const time = times.format(new Date(value))
    return by === 'hour' || value.startsWith(thisYear) ? time : `${time} ${value.slice(0, 4)}`
  }
  return ({ kind, key, target, label }) => {
    if (kind === 'difference' && by === 'hour') return t('hoursNotKept')
    if (kind !== 'key')
      return { other: t('other'), withheld: t('withheld'), difference: t('difference') }[kind]
    const value = target ?? key
    if (by === 'day' || by === 'hour') return timeOf(value)
    if (value === '') return t(by === 'country' ? 'anyCountry' : 'unknown')
    if (by === 'user') return key === 'account' ? t('ownLogin') : (label ?? key)
    if (isCountry)
      return value
        .split('.')
        .map((code) => countryName(code, language))
        .join(', ')
    return by === 'code' ? outcomeName(value) : value
  }
}
