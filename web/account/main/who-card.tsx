import { Link } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { Card } from '../../ui/card.tsx'
import { nameOf } from '../profile.ts'
import { tabHref } from '#contract/account-tabs'
import styles from './profile-card.module.css'

/** The name and the address of the customer; the rest is in the settings. */
export function WhoCard({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  return (
    <Card as="section" aria-label={t('profile')}>
      <h2 translate="no" className={styles.name}>
        {nameOf(user)}
      </h2>
      <p className={styles.brief}>{user.email ?? t('noEmail')}</p>
      {user.acting === undefined && (
        <p className={styles.more}>
          <Link to={tabHref('profile')}>{t('title.profile')}</Link>
        </p>
      )}
    </Card>
  )
}
