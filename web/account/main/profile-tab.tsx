import type { Session } from '../../state/session.ts'
import { HostPrivacy } from '../statistics/host-privacy.tsx'
import styles from './main-tab.module.css'
import { ProfileCard } from './profile-card.tsx'

/** Who the customer is, and what is kept of the sites that they visit. */
export function ProfileTab({ user }: { user: Session }) {
  return (
    <div className={styles.main}>
      <ProfileCard user={user} />
      <HostPrivacy />
    </div>
  )
}
