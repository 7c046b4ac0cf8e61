import Users from 'lucide-react/icons/users-round'
import { useState } from 'react'
import { useTranslation } from '../state/i18n.ts'
import { useSession } from '../state/session.ts'
import { actOn } from '../state/team/team.ts'
import { toast } from '../state/toast.ts'
import { Button } from '../ui/button.tsx'
import styles from './view-banner.module.css'

/** Shown on every page while a member acts on the account of a team: whose account it is, and the way back. */
export default function TeamBanner() {
  const { t } = useTranslation('team')
  const user = useSession()
  const [isLeaving, setLeaving] = useState(false)
  if (user?.acting === undefined) return null
  const { role, own } = user.acting
  const name = user.username ?? `#${user.user_id}`
  const leave = () => {
    setLeaving(true)
    actOn(own)
      .catch((error: unknown) => toast.error((error as Error).message))
      .finally(() => setLeaving(false))
  }
  return (
    <section className={styles.banner} aria-label={t('banner.title')}>
      <Users className={styles.eye} size={20} strokeWidth={1.75} aria-hidden="true" />
      <p className={styles.text}>
        <strong>{t('banner.whose', { name })}</strong>{' '}
        <span>{t('banner.role', { role: t(`role.${role}`) })}</span>
      </p>
      <Button size="small" pending={isLeaving} onClick={leave}>
        {t('banner.back')}
      </Button>
    </section>
  )
}
