import { useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { Fault } from '../parts/loaded.tsx'
import { type DeskSession, setSession } from '../state/api.ts'
import { signOut } from '../state/session.ts'
import { EntryPage } from './entry-page.tsx'
import styles from './form.module.css'
import { ProveFactor } from './prove-factor.tsx'

/** The second half of a sign-in. */
export function SecondFactor({ session }: { session: DeskSession }) {
  const { t } = useTranslation('desk')
  const [fault, setFault] = useState<string>()
  const back = () => signOut(session).catch((error: unknown) => setFault(String((error as Error).message)))
  return (
    <EntryPage brand={session.brand} title={t('factor.title')} lead={t('factor.lead')}>
      <ProveFactor session={session} submit={t('factor.submit')} onProved={setSession} />
      <div className={styles.links}>
        <button type="button" className={styles.link} onClick={() => void back()}>
          {t('factor.other')}
        </button>
      </div>
      {fault !== undefined && <Fault text={fault} />}
    </EntryPage>
  )
}
