import type { Session } from '../../state/session.ts'
import { PasswordForm } from './password-form.tsx'
import { ProxyPassword } from './proxy-password.tsx'
import styles from './security-tab.module.css'

/** The proxy password of each pool, and the account password. */
export function SecurityTab({ user }: { user: Session }) {
  return (
    <div className={styles.security}>
      <ProxyPassword user={user} />
      <PasswordForm user={user} />
    </div>
  )
}
