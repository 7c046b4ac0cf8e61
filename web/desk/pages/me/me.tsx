import { useTranslation } from '../../../state/i18n.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { useSession } from '../../state/session.ts'
import { OwnAlerts } from './alerts.tsx'
import { Factors } from './factors.tsx'
import styles from './me.module.css'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'

/** The member's own sessions, second factors and password. */
export function MePage() {
  const { t } = useTranslation(['deskPages', 'desk'])
  const { member } = useSession()
  return (
    <>
      <PageHead
        title={t('desk:page.me')}
        meta={<span>{`${member.name}, ${t(`desk:role.${member.role}`)}`}</span>}
      />
      <div className={styles.columns}>
        <Sessions />
        <Factors />
        <Password />
        <OwnAlerts />
      </div>
    </>
  )
}
