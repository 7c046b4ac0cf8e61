import type { Session } from '../../app/session.ts'
import { PasswordForm } from './password-form.tsx'
import { ProxyPassword } from './proxy-password.tsx'
import styles from './security-tab.module.css'

/** The passwords: the proxies' by pool, and the account's own. */
export function SecurityTab({ user }: { user: Session }) {
  return (
    <div className={styles.security}>
      <ProxyPassword user={user} />
      <PasswordForm user={user} />
    </div>
  )
}
