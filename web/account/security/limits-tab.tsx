import type { Session } from '../../state/session.ts'
import { useTranslation } from '../../state/i18n.ts'
import { roleAllows } from '../../state/team/team.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { knownPools } from '../profile.ts'
import { PoolLimits } from './pool-limits.tsx'
import styles from './security-tab.module.css'

/** What a pool's own login may spend, open and reach. */
export function LimitsTab({ user }: { user: Session }) {
  const { t } = useTranslation('userPanel')
  const { pool, choose } = usePoolInAddress(user)
  return (
    <div className={styles.security}>
      <PoolPicker user={user} value={pool} onChange={choose} />
      {!knownPools(user).includes(pool) ? (
        <Card className={styles.none}>
          <p>{t('whitelist.noPoolAccess')}</p>
          {roleAllows(user, 'create_invoice_web') && (
            <Button href={`/purchase?pool=${pool}`}>{t('pool.buy')}</Button>
          )}
        </Card>
      ) : (
        <PoolLimits key={pool} pool={pool} />
      )}
    </div>
  )
}
