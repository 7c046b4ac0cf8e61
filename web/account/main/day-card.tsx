import type { Output } from '#contract/contract'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Card } from '../../ui/card.tsx'
import { hourOf } from '../../ui/format-time.ts'
import { ExactBytes } from '../exact-bytes.tsx'
import styles from './day-card.module.css'

type Day = Output<'get_overview'>

/** The last day: what was used, hour by hour, and how many requests succeeded. */
export function DayCard({ day }: { day: Day }) {
  const { t } = useTranslation('requests')
  const { traffic, number, percent } = useFormat()
  const { counted, done, refused, is_capped: isCapped } = day.requests
  const used = day.pools.reduce((sum, { used_bytes: bytes }) => sum + bytes, 0)
  // 99.96 % must not be shown as 100 %.
  const share = counted === 0 ? 0 : done === counted ? 1 : Math.min(0.99, done / counted)
  return (
    <Card as="section" aria-labelledby="last-day">
      <h2 id="last-day" className={styles.title}>
        {t('overview.last24')}
      </h2>
      <dl className={styles.figures}>
        <div>
          <dt>{t('overview.used')}</dt>
          <dd translate="no">{traffic(BigInt(used))}</dd>
          <dd className={styles.note}>
            <ExactBytes bytes={BigInt(used)} />
          </dd>
        </div>
        <div>
          <dt>{t('overview.success')}</dt>
          <dd>{counted === 0 ? '—' : percent(share)}</dd>
          <dd className={styles.note}>
            {counted === 0
              ? t('overview.noRequests')
              : t(isCapped ? 'overview.successCapped' : 'overview.successOf', {
                  requests: number(counted - refused),
                  refused: number(refused),
                })}
          </dd>
        </div>
      </dl>
      {used > 0 && <Hours hours={day.hours} />}
    </Card>
  )
}

/** Traffic by hour, in the time zone of the browser; screen readers get a list. */
function Hours({ hours }: { hours: Day['hours'] }) {
  const { t } = useTranslation('requests')
  const language = useLanguage()
  const { traffic, number } = useFormat()
  const most = Math.max(1, ...hours.map(({ used_bytes: bytes }) => bytes))
  const at = (hour: string) => new Date(hour).toLocaleTimeString(language, hourOf(language))
  const describe = ({ hour, used_bytes: bytes, requests }: Day['hours'][number]) =>
    `${at(hour)}: ${traffic(BigInt(bytes))}, ${t('overview.requests')}: ${number(requests)}`
  const [first, middle, last] = [hours[0], hours[Math.floor(hours.length / 2)], hours.at(-1)]
  return (
    <figure className={styles.chart}>
      <figcaption className="sr-only">{t('overview.byHour')}</figcaption>
      <ol className={styles.bars}>
        {hours.map((one) => (
          <li key={one.hour} className={styles.bar} title={describe(one)}>
            <span className="sr-only">{describe(one)}</span>
            {one.used_bytes > 0 && (
              <span
                aria-hidden="true"
                className={styles.fill}
                style={{ height: `${Math.max(2, (one.used_bytes / most) * 100)}%` }}
              />
            )}
          </li>
        ))}
      </ol>
      <p className={styles.axis} aria-hidden="true">
        {[first, middle, last].map((one) => one !== undefined && <span key={one.hour}>{at(one.hour)}</span>)}
      </p>
    </figure>
  )
}
