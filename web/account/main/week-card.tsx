import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ExactBytes } from '../exact-bytes.tsx'
import { ReadFailedCard } from '../read-failed.tsx'
import { everyDay, presets, type ReportRow } from '../statistics/report.ts'
import { tabHref } from '#contract/account-tabs'
import styles from './day-card.module.css'

/** The traffic of the last seven days of all pools, day by day. */
export function WeekCard() {
  const { t } = useTranslation('userBtns')
  const language = useLanguage()
  const { traffic } = useFormat()
  const [[from, to]] = useState(() => presets(Date.now()).week)
  const read = useQuery({ ...query('get_usage', { from, to, by: 'day' }), staleTime: 0 })
  const { data } = read
  if (data === undefined) return read.isError ? <ReadFailedCard what={t('week')} read={read} /> : null
  const days = everyDay(data.rows, { from, to }).toReversed()
  const most = Math.max(1, ...days.map(({ charged_bytes: bytes }) => bytes))
  // Days are counted in UTC; another time zone would show a wrong date.
  const dateOf = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const nameOf = ({ key }: ReportRow) => dateOf.format(new Date(key))
  const total = BigInt(data.total.charged_bytes)
  return (
    <Card as="section" aria-labelledby="last-week">
      <h2 id="last-week" className={styles.title}>
        {t('week')}
      </h2>
      <p translate="no" className={styles.weekTotal}>
        {traffic(total)}
      </p>
      <p className={styles.note}>
        <ExactBytes bytes={total} />
      </p>
      <ol className={classNames(styles.chart, styles.bars)} aria-label={t('week')}>
        {days.map((day) => (
          <li
            key={day.key}
            className={styles.bar}
            title={`${nameOf(day)}: ${traffic(BigInt(day.charged_bytes))}`}
          >
            <span className="sr-only">{`${nameOf(day)}: ${traffic(BigInt(day.charged_bytes))}`}</span>
            {day.charged_bytes > 0 && (
              <span
                aria-hidden="true"
                className={styles.fill}
                style={{ height: `${Math.max(2, (day.charged_bytes / most) * 100)}%` }}
              />
            )}
          </li>
        ))}
      </ol>
      <p className={styles.axis} aria-hidden="true">
        {[days[0], days.at(-1)].map((day) => day !== undefined && <span key={day.key}>{nameOf(day)}</span>)}
      </p>
      <p className={styles.weekAll}>
        <Link to={tabHref('statistic')}>{t('weekAll')}</Link>
      </p>
    </Card>
  )
}
