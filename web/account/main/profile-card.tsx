import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { Card } from '../../ui/card.tsx'
import { nameOf } from '../profile.ts'
import { EmailRow } from './email-row.tsx'
import styles from './profile-card.module.css'
import { ReceiptEmailRow } from './receipt-email-row.tsx'
import { TelegramRow } from './telegram-row.tsx'

export function ProfileCard({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const language = useLanguage()
  const since = new Date(user.reg_date)
  return (
    <Card as="section" aria-label={t('profile')}>
      <h2 translate="no" className={styles.name}>
        {nameOf(user)}
      </h2>
      <dl className={styles.facts}>
        <EmailRow user={user} />
        <div className={styles.fact}>
          <dt>{t('userId')}</dt>
          <dd translate="no" className="mono">
            {user.user_id}
          </dd>
        </div>
        {!Number.isNaN(since.getTime()) && (
          <div className={styles.fact}>
            <dt>{t('since')}</dt>
            <dd>{since.toLocaleDateString(language, { day: 'numeric', month: 'long', year: 'numeric' })}</dd>
          </div>
        )}
        <ReceiptEmailRow user={user} />
        <TelegramRow user={user} />
      </dl>
    </Card>
  )
}
