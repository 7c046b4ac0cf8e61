import { useId } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { formatUtc } from '../../ui/format-time.ts'
import type { ShownIncident } from './status-query.ts'
import styles from './status.module.css'

interface IncidentsProps {
  heading: string
  incidents: readonly ShownIncident[]
  /** Shown when there are no incidents. */
  empty?: string
}

/** Incidents with their updates, the latest first. */
export function Incidents({ heading, incidents, empty }: IncidentsProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id}>{heading}</h2>
      {incidents.length === 0 && <p className={styles.quiet}>{empty}</p>}
      {incidents.map((incident) => (
        <IncidentCard key={incident.id} incident={incident} />
      ))}
    </section>
  )
}

function IncidentCard({ incident: { id, title, pools, updates } }: { incident: ShownIncident }) {
  const { t } = useTranslation(['status', 'header'])
  const language = useLanguage()
  return (
    <article id={`incident-${id}`} className={styles.incident}>
      <h3>{title}</h3>
      <p className={styles.quiet}>
        {pools.length === 0 ? t('allElse') : pools.map((pool) => t(`header:pools.${pool}`)).join(', ')}
      </p>
      <ol className={styles.updates}>
        {updates.map(({ at, state, text }) => (
          <li key={`${at} ${state}`}>
            <p className={styles.updateHead}>
              <strong>{t(`incident.${state}`)}</strong>
              <time dateTime={at}>{formatUtc(at, language)}</time>
            </p>
            <p className={styles.text}>{text}</p>
          </li>
        ))}
      </ol>
    </article>
  )
}
