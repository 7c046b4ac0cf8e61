import ArrowLeft from 'lucide-react/icons/arrow-left'
import { type ComponentType, lazy, Suspense } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { brand } from '../app/brand.ts'
import { useFreshProfile } from '../app/fresh-profile.ts'
import { useTranslation } from '../app/i18n.ts'
import { type Session, useSession } from '../app/session.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import styles from './account.module.css'
import { MainTab } from './main/main-tab.tsx'
import { TabBar } from './tab-bar.tsx'
import { type Tab, tabFromAddress, tabHref } from './tabs.ts'
import { usablePools } from './profile.ts'

type TabContent = ComponentType<{ user: Session }>

/** Each tab is its own piece of code, fetched when it is opened. */
const contents: Record<Tab, TabContent> = {
  main: MainTab,
  panel: lazy(async () => ({ default: (await import('./panel/panel-tab.tsx')).PanelTab })),
  statistic: lazy(async () => ({ default: (await import('./statistics/statistics-tab.tsx')).StatisticsTab })),
  whitelist: lazy(async () => ({ default: (await import('./whitelist/whitelist-tab.tsx')).WhitelistTab })),
  invoices: lazy(async () => ({ default: (await import('./invoices/invoices-tab.tsx')).InvoicesTab })),
  referal: lazy(async () => ({ default: (await import('./referral/referral-tab.tsx')).ReferralTab })),
  changePass: lazy(async () => ({ default: (await import('./security/security-tab.tsx')).SecurityTab })),
  resell: lazy(async () => ({ default: (await import('./reseller/reseller-tab.tsx')).ResellerTab })),
}

export function AccountPage() {
  const user = useSession()
  // The session may end in another tab of the browser while this one is open.
  return user === null ? <Navigate to="/login" replace /> : <Account user={user} />
}

function Account({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const [search] = useSearchParams()
  const tab = tabFromAddress(search)
  const { stale } = useFreshProfile()
  const Content = contents[tab]
  const isOneInvoice = search.has('invoice')
  const title = t(`title.${isOneInvoice ? 'invoice' : tab}`)
  // From one invoice the way back leads to all of them.
  const back = isOneInvoice ? 'invoices' : 'main'
  return (
    <div className={styles.page}>
      <title>{`${title} — ${brand.name}`}</title>
      <TabBar tab={tab} panelShown={usablePools(user).length > 0} />
      <div className={styles.top}>
        {tab !== 'main' && (
          <Link
            to={tabHref(back)}
            className={styles.back}
            aria-label={t(back === 'main' ? 'back' : 'backToInvoices')}
          >
            <ArrowLeft size={24} aria-hidden="true" />
          </Link>
        )}
        <h1 className={styles.title}>{title}</h1>
      </div>
      {stale && (
        <p role="status" className={styles.stale}>
          {t('stale')}
        </p>
      )}
      <Suspense fallback={<Waiting />}>
        <Content user={user} />
      </Suspense>
    </div>
  )
}

function Waiting() {
  return (
    <div className={styles.waiting} aria-hidden="true">
      <Skeleton characters={24} />
      <Skeleton characters={60} />
      <Skeleton characters={48} />
    </div>
  )
}
