import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Fault, Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { query } from '../../state/api.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './me.module.css'

/** The member's sessions; each can be ended, with immediate effect. */
export function Sessions() {
  const { t } = useTranslation('deskPages')
  const sessions = useQuery(query('my_sessions', {}))
  const { pending, fault, run } = useAct('end_my_session')
  return (
    <Section
      title={t('me.sessions')}
      actions={
        (sessions.data?.length ?? 0) > 1 && (
          <Button size="small" pending={pending} onClick={() => run({})}>
            {t('me.endOthers')}
          </Button>
        )
      }
    >
      {fault !== undefined && <Fault text={fault} />}
      <Loaded query={sessions}>
        {(rows) => (
          <ul className={styles.list}>
            {rows.map((session) => (
              <li key={session.id} className={styles.row}>
                <div className={styles.text}>
                  <span>{session.ip ?? t('me.unknownAddress')}</span>
                  <span className={styles.quiet}>{session.user_agent}</span>
                  <span className={styles.quiet}>
                    <span>{t('me.lastUsed')}</span> <Moment iso={session.used_at} recent />
                  </span>
                </div>
                {session.current ? (
                  <span className={styles.quiet}>{t('me.thisOne')}</span>
                ) : (
                  <Button size="small" onClick={() => run({ id: session.id })}>
                    {t('me.end')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}
