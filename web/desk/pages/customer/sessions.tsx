import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { useMay } from '../../state/session.ts'
import { EndSessionsDialog } from './block-dialogs.tsx'
import styles from './customer.module.css'
import type { Customer } from './types.ts'

/** The customer's sessions: created, last used, expiring. */
export function Sessions({ customer }: { customer: Customer }) {
  const { t } = useTranslation(['deskCustomer', 'deskPages'])
  const mayEnd = useMay()('end_customer_sessions')
  const { time } = useFigures()
  const [isEnding, setEnding] = useState(false)
  const { sessions } = customer
  return (
    <Section
      title={t('deskPages:customer.sessions')}
      actions={
        mayEnd &&
        sessions.length > 0 && (
          <Button size="small" onClick={() => setEnding(true)}>
            {t('deskPages:act.endSessions')}
          </Button>
        )
      }
    >
      {sessions.length === 0 ? (
        <p className={styles.quiet}>{t('sessions.none')}</p>
      ) : (
        <ul className={styles.sessions}>
          {sessions.map((session) => (
            <li key={session.id}>
              {t('sessions.one', {
                since: time(session.created_at),
                used: time(session.used_at),
                until: time(session.expires_at),
              })}
            </li>
          ))}
        </ul>
      )}
      {isEnding && <EndSessionsDialog customer={customer} onClose={() => setEnding(false)} />}
    </Section>
  )
}
