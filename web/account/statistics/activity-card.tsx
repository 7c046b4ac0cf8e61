import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bytesIn } from '#contract/exact-bytes'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Card } from '../../ui/card.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { ReadFailedCard } from '../read-failed.tsx'
import styles from './activity-card.module.css'
import { type ActivityBar, perSecond } from './activity.ts'

type Activity = Output<'get_activity'>

const refreshMs = 60_000

/** Traffic, requests per second and connections by the minute of the last hour, and by the hour of a week. */
export function ActivityCard({ pool }: { pool: Pool }) {
  const { t } = useTranslation('usage')
  const [span, setSpan] = useState<'hour' | 'week'>('hour')
  const read = useQuery({ ...query('get_activity', { pool }), refetchInterval: refreshMs })
  const { data } = read
  if (data === undefined) return read.isError ? <ReadFailedCard what={t('activity')} read={read} /> : null
  return (
    <Card as="section" aria-label={t('activity')} padding="large">
      <div className={styles.head}>
        <h2>{t('activity')}</h2>
        <Segmented
          label={t('activitySpan')}
          value={span}
          options={[
            { value: 'hour', label: t('activityHour') },
            { value: 'week', label: t('activityWeek') },
          ]}
          onChange={setSpan}
        />
      </div>
      <p className={styles.text}>{t(span === 'hour' ? 'activityHourText' : 'activityWeekText')}</p>
      {span === 'hour' ? <LastHour minutes={data.minutes} /> : <LastWeek hours={data.hours} />}
    </Card>
  )
}

function LastHour({ minutes }: { minutes: Activity['minutes'] }) {
  const { t } = useTranslation('usage')
  const language = useLanguage()
  const { number, decimal } = useFormat()
  const exact = (bytes: number) => bytesIn(BigInt(bytes), language)
  const time = (iso: string) =>
    new Date(iso).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  const used = minutes.filter(({ charged_bytes: bytes, requests, open }) => bytes + requests + open > 0)
  const total = minutes.reduce((sum, { charged_bytes: bytes }) => sum + bytes, 0)
  const barsOf = (valueOf: (minute: Activity['minutes'][number]) => number) =>
    minutes.map((minute): ActivityBar => ({
      key: minute.minute,
      at: time(minute.minute),
      value: valueOf(minute),
    }))
  return (
    <>
      <Bars
        name={`${t('activityBytes')}: ${exact(total)}`}
        bars={barsOf(({ charged_bytes: bytes }) => bytes)}
        shown={exact}
      />
      <Bars
        name={t('activityRate')}
        bars={barsOf(({ requests }) => requests)}
        shown={(requests) => decimal(perSecond(requests))}
      />
      <Bars name={t('activityOpen')} bars={barsOf(({ open }) => open)} shown={number} />
      {used.length > 0 && (
        <details className={styles.details}>
          <summary>{t('activityTable')}</summary>
          <table className={styles.table}>
            <thead>
              <tr>
                {(['activityMinute', 'activityBytes', 'requests', 'activityOpen'] as const).map((key) => (
                  <th key={key} scope="col">
                    {t(key)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody translate="no">
              {used.toReversed().map(({ minute, charged_bytes: bytes, requests, open }) => (
                <tr key={minute}>
                  <th scope="row">{time(minute)}</th>
                  <td>{exact(bytes)}</td>
                  <td>{number(requests)}</td>
                  <td>{number(open)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  )
}

function LastWeek({ hours }: { hours: Activity['hours'] }) {
  const { t } = useTranslation('usage')
  const language = useLanguage()
  const { number, decimal } = useFormat()
  const barsOf = (valueOf: (hour: Activity['hours'][number]) => number) =>
    hours.map((hour): ActivityBar => ({
      key: hour.hour,
      at: formatDateTime(hour.hour, language),
      value: valueOf(hour),
    }))
  return (
    <>
      <Bars
        name={t('activityRate')}
        bars={barsOf(({ requests }) => requests)}
        shown={(requests) => decimal(perSecond(requests))}
      />
      <Bars name={t('activityOpen')} bars={barsOf(({ open }) => open)} shown={number} />
    </>
  )
}

interface BarsProps {
  name: string
  bars: readonly ActivityBar[]
  shown: (value: number) => string
}

/** Bars of a series, with the figures of the bar under the pointer, or of the largest. */
function Bars({ name, bars, shown }: BarsProps) {
  const { t } = useTranslation('usage')
  const [pointed, setPointed] = useState<string | null>(null)
  const [first] = bars
  if (first === undefined) return null
  const largest = bars.reduce((most, bar) => (bar.value > most.value ? bar : most), first)
  const told = bars.find(({ key }) => key === pointed) ?? largest
  // Without any activity there is no busiest time.
  const isNothing = pointed === null && told.value === 0
  const figures = isNothing ? shown(0) : `${shown(told.value)}, ${told.at}`
  return (
    <figure className={styles.series}>
      <figcaption>
        <span>{name}</span>
        <span className={styles.readout}>
          <span>{told === largest && !isNothing ? t('activityMost') : ''}</span>{' '}
          <span translate="no" className="mono">
            {figures}
          </span>
        </span>
      </figcaption>
      <div
        className={styles.bars}
        role="img"
        aria-label={`${name}. ${t('activityMost')} ${shown(largest.value)}, ${largest.at}`}
        onPointerLeave={() => setPointed(null)}
      >
        {bars.map(({ key, value }) => (
          <span key={key} onPointerEnter={() => setPointed(key)}>
            <span style={{ height: largest.value === 0 ? 0 : `${(value / largest.value) * 100}%` }} />
          </span>
        ))}
      </div>
    </figure>
  )
}
