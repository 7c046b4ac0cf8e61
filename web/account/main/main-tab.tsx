import Code from 'lucide-react/icons/code-xml'
import BarChart from 'lucide-react/icons/chart-no-axes-column'
import Key from 'lucide-react/icons/key-round'
import List from 'lucide-react/icons/list-tree'
import Plus from 'lucide-react/icons/plus'
import Receipt from 'lucide-react/icons/receipt-text'
import Shield from 'lucide-react/icons/shield-check'
import Ticket from 'lucide-react/icons/ticket-percent'
import Users from 'lucide-react/icons/users-round'
import type { ComponentType } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { usablePools } from '../profile.ts'
import { tabHref } from '../tabs.ts'
import { Balances } from './balances.tsx'
import styles from './main-tab.module.css'
import { NoticesCard } from './notices-card.tsx'
import { TopUpCard } from '../topup/topup-card.tsx'
import { ProfileCard } from './profile-card.tsx'

type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean | 'true' }>

const actions = [
  { name: 'buyTraffic', href: '/purchase', icon: Plus },
  { name: 'openPanel', href: tabHref('panel'), icon: List },
  { name: 'promocode', href: '/promocode', icon: Ticket },
  { name: 'whitelist', href: tabHref('whitelist'), icon: Shield },
  { name: 'viewStatistics', href: tabHref('statistic'), icon: BarChart },
  { name: 'invoices', href: tabHref('invoices'), icon: Receipt },
  { name: 'referral', href: tabHref('referal'), icon: Users },
  { name: 'changePassword', href: tabHref('changePass'), icon: Key },
  { name: 'api', href: tabHref('resell'), icon: Code },
] as const satisfies readonly { name: string; href: string; icon: Icon }[]

export function MainTab({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const hasTraffic = usablePools(user).length > 0
  return (
    <div className={styles.main}>
      <Balances user={user} />
      {!hasTraffic && (
        <section className={styles.empty}>
          <div>
            <h2 className={styles.emptyTitle}>{t('noTraffic')}</h2>
            <p className={styles.emptyText}>{t('noTrafficText')}</p>
          </div>
          <Button variant="primary" size="large" href="/purchase">
            {t('firstPurchase')}
          </Button>
        </section>
      )}
      <div className={styles.lower}>
        <div className={styles.column}>
          <nav aria-label={t('actions')}>
            <ul className={styles.actions}>
              {actions
                .filter(({ name }) => name !== 'openPanel' || hasTraffic)
                .map(({ name, href, icon: ActionIcon }) => (
                  <li key={name}>
                    <Link to={href} className={styles.action}>
                      <span className={styles.icon}>
                        <ActionIcon size={22} aria-hidden="true" />
                      </span>
                      <span className={styles.labels}>
                        <span className={styles.actionTitle}>{t(`action.${name}`)}</span>
                        <span className={styles.actionText}>{t(`action.${name}Text`)}</span>
                      </span>
                    </Link>
                  </li>
                ))}
            </ul>
          </nav>
          <TopUpCard />
          <NoticesCard user={user} />
        </div>
        <ProfileCard user={user} />
      </div>
    </div>
  )
}
