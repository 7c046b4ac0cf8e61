import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import { earningDays } from '#contract/referral/period'
import { query } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './earnings.module.css'

type Days = Output<'referral_earnings'>

const height = 120
/** The width of a day and of its bar. */
const step = 10
const bar = 7

/** What invited customers earned by day: bars, and their sum in words. */
export function Earnings() {
  const { t } = useTranslation(['userPanel', 'referral'])
  const { usd, number } = useFormat()
  const [days, setDays] = useState<(typeof earningDays)[number]>(30)
  const { data, isError, refetch } = useQuery({
    ...query('referral_earnings', { days }),
    placeholderData: (before) => before,
  })
  const earned = (data ?? []).filter((day) => day.earned_usd > 0)
  const total = earned.reduce((sum, day) => sum + day.earned_usd, 0)
  return (
    <section aria-labelledby="referral-earnings">
      <div className={styles.head}>
        <h2 id="referral-earnings" className={styles.title}>
          {t('referral:earnings')}
        </h2>
        <Segmented
          label={t('referral:period')}
          value={String(days)}
          options={earningDays.map((each) => ({
            value: String(each),
            label: t('referral:days', { count: each }),
          }))}
          onChange={(value) => setDays(value === '90' ? 90 : 30)}
        />
      </div>
      {data !== undefined && (
        <>
          <p className={styles.total}>
            {total === 0
              ? t('referral:noEarnings')
              : t('referral:earned', {
                  sum: usd(total),
                  payments: number(earned.reduce((sum, day) => sum + day.payments, 0)),
                })}
          </p>
          {total > 0 && <Bars days={data} />}
        </>
      )}
      {data === undefined &&
        (isError ? (
          <div role="status">
            <p>{t('referral:earningsFailed')}</p>
            <Button onClick={() => void refetch()}>{t('referral:retry')}</Button>
          </div>
        ) : (
          <Skeleton characters={40} />
        ))}
    </section>
  )
}

/** Hidden from screen readers, which have the sum and the days with money. */
function Bars({ days }: { days: Days }) {
  const { t } = useTranslation(['userPanel', 'referral'])
  const language = useLanguage()
  const { usd } = useFormat()
  const most = Math.max(...days.map((day) => day.earned_usd))
  const dateOf = ({ day }: Days[number]) =>
    new Date(`${day}T00:00:00Z`).toLocaleDateString(language, {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    })
  const [first, last] = [days[0], days.at(-1)]
  return (
    <>
      <figure className={styles.chart} aria-hidden="true">
        <svg
          viewBox={`0 0 ${days.length * step} ${height}`}
          preserveAspectRatio="none"
          className={styles.bars}
        >
          {days.map((day, index) => {
            const high = most > 0 ? Math.max(day.earned_usd > 0 ? 2 : 0, (day.earned_usd / most) * height) : 0
            return (
              <g key={day.day}>
                <rect x={index * step} width={step} height={height} fill="transparent">
                  <title>{`${dateOf(day)}: ${usd(day.earned_usd)}`}</title>
                </rect>
                <rect
                  x={index * step + (step - bar) / 2}
                  y={height - high}
                  width={bar}
                  height={high}
                  className={styles.bar}
                />
              </g>
            )
          })}
        </svg>
        <figcaption className={styles.axis}>
          <span>{first && dateOf(first)}</span>
          {most > 0 && <span>{t('referral:best', { sum: usd(most) })}</span>}
          <span>{last && dateOf(last)}</span>
        </figcaption>
      </figure>
      <ul className="sr-only">
        {days
          .filter((day) => day.earned_usd > 0)
          .map((day) => (
            <li key={day.day}>{`${dateOf(day)}: ${usd(day.earned_usd)}`}</li>
          ))}
      </ul>
    </>
  )
}
