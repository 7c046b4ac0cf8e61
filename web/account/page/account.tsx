import ArrowLeft from 'lucide-react/icons/arrow-left'
import { type ComponentType, Suspense } from 'react'
import { Link, useSearchParams } from 'react-router'
import { brand } from '../../state/brand.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useConnection } from '../../state/connection.ts'
import { useProfilePolling } from '../../state/reads/profile-polling.ts'
import { useTranslation } from '../../state/i18n.ts'
import { type Session, useSession } from '../../state/session.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './account.module.css'
import { loadMainTab, textsOfMainTab } from './load-main-tab.ts'
import { PaletteButton } from './palette-button.tsx'
import { SectionBar, TabBar } from './tab-bar.tsx'
import { ToSignIn } from '../to-sign-in.tsx'
import { listHref, type Tab, tabFromAddress, tabHref } from '#contract/account-tabs'
import { usablePools } from '../profile.ts'

type TabContent = ComponentType<{ user: Session }>

/** The texts of the dialog that asks for the owner’s proof. */
const guarded = ['factors', 'security'] as const

/** Each tab is a chunk of its own, fetched when it is first opened. */
const tabComponents: Record<Tab, TabContent> = {
  main: lazyPart(async () => (await loadMainTab()).MainTab, ...textsOfMainTab),
  panel: lazyPart(async () => (await import('../generator/generator-tab.tsx')).GeneratorTab, 'generator'),
  requests: lazyPart(
    async () => (await import('../requests/requests-tab.tsx')).RequestsTab,
    'requests',
    'gatewayRefusals',
  ),
  limits: lazyPart(async () => (await import('../security/limits-tab.tsx')).LimitsTab),
  bill: lazyPart(async () => (await import('../statistics/bill-card.tsx')).BillCard, 'usage'),
  topup: lazyPart(async () => (await import('../topup/topup-card.tsx')).TopUpTab),
  moves: lazyPart(async () => (await import('../moves/moves-card.tsx')).MovesTab, 'moves'),
  profile: lazyPart(async () => (await import('../main/profile-tab.tsx')).ProfileTab, 'usage'),
  notices: lazyPart(async () => (await import('../main/notices-card.tsx')).NoticesCard),
  statistic: lazyPart(async () => (await import('../statistics/statistics-tab.tsx')).StatisticsTab),
  whitelist: lazyPart(async () => (await import('../whitelist/whitelist-tab.tsx')).WhitelistTab),
  proxyUsers: lazyPart(async () => (await import('../users/users-tab.tsx')).UsersTab, 'proxyUsers'),
  invoices: lazyPart(async () => (await import('../invoices/invoices-tab.tsx')).InvoicesTab),
  referal: lazyPart(async () => (await import('../referral/referral-tab.tsx')).ReferralTab),
  changePass: lazyPart(async () => (await import('../security/security-tab.tsx')).SecurityTab, ...guarded),
  resell: lazyPart(async () => (await import('../reseller/reseller-tab.tsx')).ResellerTab, ...guarded),
}

export function AccountPage() {
  const user = useSession()
  return user === null ? <ToSignIn /> : <Account user={user} />
}

function Account({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const [search] = useSearchParams()
  const tab = tabFromAddress(search)
  const isUnread = useProfilePolling()
  // Without a network the notice above the page says so.
  const isStale = useConnection() === 'online' && isUnread
  const Content = tabComponents[tab]
  const isOneInvoice = search.has('invoice')
  const isOneRequest = tab === 'requests' && search.has('request')
  const bar = { tab, showPanel: usablePools(user).length > 0 }
  const title = t(`title.${isOneInvoice ? 'invoice' : isOneRequest ? 'request' : tab}`)
  // A single invoice or request leads back to its list.
  const back = isOneInvoice ? 'invoices' : isOneRequest ? 'requests' : 'main'
  const backHref = isOneRequest ? listHref(search) : tabHref(back)
  return (
    <div className={styles.page}>
      <title>{`${title} — ${brand.name}`}</title>
      <TabBar {...bar} />
      <div className={styles.top}>
        {tab !== 'main' && (
          <Link
            to={backHref}
            className={styles.back}
            aria-label={t(
              back === 'main' ? 'back' : back === 'invoices' ? 'backToInvoices' : 'backToRequests',
            )}
          >
            <ArrowLeft size={24} aria-hidden="true" />
          </Link>
        )}
        <h1 className={styles.title}>{title}</h1>
        <PaletteButton />
      </div>
      <SectionBar {...bar} />
      {isStale && (
        <p role="status" className={styles.stale}>
          {t('stale')}
        </p>
      )}
      <Suspense fallback={<TabSkeleton />}>
        <Content user={user} />
      </Suspense>
    </div>
  )
}

function TabSkeleton() {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      <Skeleton characters={24} />
      <Skeleton characters={60} />
      <Skeleton characters={48} />
    </div>
  )
}
