import type { Session } from '../../state/session.ts'
import { ProofDialog } from '../proof/proof-dialog.tsx'
import { EmailCard } from './email-card.tsx'
import { PasswordForm } from './password-form.tsx'
import { PersonalData } from './personal-data.tsx'
import { ProxyPassword } from './proxy-password.tsx'
import styles from './security-tab.module.css'
import { SessionsCard } from './sessions-card.tsx'
import { TwoFactor } from './two-factor.tsx'

/** The proxy password of each pool, what protects the account, and all data of the person. */
export function SecurityTab({ user }: { user: Session }) {
  return (
    <div className={styles.security}>
      <ProxyPassword user={user} />
      <PasswordForm user={user} />
      <TwoFactor />
      <SessionsCard />
      <EmailCard />
      <PersonalData user={user} />
      <ProofDialog />
    </div>
  )
}
