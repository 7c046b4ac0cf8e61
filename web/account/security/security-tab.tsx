import type { Session } from '../../state/session.ts'
import { PasswordForm } from './password-form.tsx'
import { PersonalData } from './personal-data.tsx'
import { ProxyPassword } from './proxy-password.tsx'
import styles from './security-tab.module.css'

/** The proxy password of each pool, the account password, and all data of the person. */
export function SecurityTab({ user }: { user: Session }) {
  return (
    <div className={styles.security}>
      <ProxyPassword user={user} />
      <PasswordForm user={user} />
      <PersonalData user={user} />
    </div>
  )
}
