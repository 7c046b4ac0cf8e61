import ChevronRight from 'lucide-react/icons/chevron-right'
import { memo } from 'react'
import { Link } from 'react-router'
import type { ListedRequest } from '#contract/requests/schemas'
import { pools } from '#contract/wire'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { Flag } from '../../ui/graphics/flag.tsx'
import { formatExactTime } from '../../ui/format-time.ts'
import { requestHref } from '#contract/account-tabs'
import { RepairButton, useAdvice } from './advice.tsx'
import { Outcome } from './outcome.tsx'
import styles from './request-list.module.css'
import { useFigures } from './use-figures.ts'

/** Requests, the newest first. Those out of sight are not laid out. */
export function RequestList({ requests, search }: { requests: readonly ListedRequest[]; search: string }) {
  const { t } = useTranslation('requests')
  return (
    <>
      <div className={styles.head} aria-hidden="true">
        <span>{t('columns.time')}</span>
        <span>{t('columns.target')}</span>
        <span>{t('columns.outcome')}</span>
        <span>{t('columns.exit')}</span>
        <span className={styles.figure}>{t('columns.traffic')}</span>
        <span className={styles.figure}>{t('columns.charge')}</span>
        <span className={styles.figure}>{t('columns.duration')}</span>
      </div>
      <ul className={styles.list} aria-label={t('list')}>
        {requests.map((one) => (
          <Row key={one.id} one={one} search={search} />
        ))}
      </ul>
    </>
  )
}

const Row = memo(function Row({ one, search }: { one: ListedRequest; search: string }) {
  const { t } = useTranslation(['requests', 'header'])
  const language = useLanguage()
  const adviceOf = useAdvice()
  const { bytes, country, duration } = useFigures()
  const pool = pools.find((each) => each === one.pool)
  const advice = adviceOf(one)
  const { connected_ms: connected, first_byte_ms: first } = one
  const timing =
    connected === null
      ? null
      : t('requests:timing', {
          connected: duration(connected),
          first: first === null ? '—' : duration(first),
        })
  const named = (name: string, text: string) => (
    <>
      <span className={styles.name}>{`${name}: `}</span>
      <span>{text}</span>
    </>
  )
  return (
    <li className={styles.item}>
      <Link to={requestHref(one.id, search)} className={styles.row}>
        <time className={styles.time} dateTime={one.ended_at}>
          {formatExactTime(one.ended_at, language)}
        </time>
        <span className={styles.target}>
          <span className={styles.site}>{one.target ?? t('requests:noHost')}</span>
          {pool !== undefined && (
            <span className={styles.note}>
              {[t(`header:pools.${pool}`), one.user_label ?? one.user]
                .filter((text) => text !== null && text !== '')
                .join(' · ')}
            </span>
          )}
        </span>
        <span className={styles.outcome}>
          <Outcome outcome={one.outcome} code={one.code} />
        </span>
        <span className={classNames(styles.country, one.country === null && styles.unknown)}>
          {one.country === null ? (
            '—'
          ) : (
            <>
              <Flag country={one.country} />
              <span>{country(one.country)}</span>
            </>
          )}
        </span>
        <span className={styles.figure}>
          {named(t('requests:columns.traffic'), bytes(one.up_bytes + one.down_bytes))}
        </span>
        <span className={styles.figure}>
          {named(t('requests:columns.charge'), bytes(one.charged_bytes))}
          {one.multiplier > 1 && (
            <span className={styles.factor}>{t('requests:factor', { multiplier: one.multiplier })}</span>
          )}
        </span>
        <span className={styles.figure} title={timing ?? undefined}>
          {named(t('requests:columns.duration'), duration(one.duration_ms))}
          {timing !== null && <span className="sr-only">{`. ${timing}`}</span>}
        </span>
        <ChevronRight size={18} aria-hidden="true" className={styles.chevron} />
      </Link>
      {advice !== null && (
        <div className={styles.advice}>
          <p>{advice}</p>
          <RepairButton {...one} size="small" />
        </div>
      )}
    </li>
  )
})
