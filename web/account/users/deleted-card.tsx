import BarChart from 'lucide-react/icons/chart-no-axes-column'
import { useId } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import styles from './user-card.module.css'
import type { ProxyUser } from './user-form.ts'

/** A deleted proxy user: its names, what it used, and its statistics. */
export function DeletedCard({ user, onUsage }: { user: ProxyUser; onUsage: () => void }) {
  const { t } = useTranslation('proxyUsers')
  const { traffic } = useFormat()
  const language = useLanguage()
  const titleId = useId()
  return (
    <Card as="li" className={styles.card} aria-labelledby={titleId}>
      <h3 id={titleId} className={styles.label}>
        {user.label}
      </h3>
      <code translate="no" className={styles.login}>
        {user.login}
      </code>
      <p className={styles.unlimited}>{t('usedInAll', { used: traffic(BigInt(user.used.total_bytes)) })}</p>
      <div className={styles.foot}>
        <p className={styles.seen}>
          {user.deleted_at === null
            ? ''
            : t('deletedOn', { when: formatDateTime(user.deleted_at, language) })}
        </p>
        <Button
          icon={<BarChart size={18} aria-hidden="true" />}
          aria-label={t('usageOf', { label: user.label })}
          onClick={onUsage}
        >
          {t('statistics')}
        </Button>
      </div>
    </Card>
  )
}
