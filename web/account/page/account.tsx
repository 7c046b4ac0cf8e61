import ArrowLeft from 'lucide-react/icons/arrow-left'
import { Suspense } from 'react'
import { Link, useSearchParams } from 'react-router'
import { brand } from '../../state/brand.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { useConnection } from '../../state/connection.ts'
import { useProfilePolling } from '../../state/reads/profile-polling.ts'
import { useTranslation } from '../../state/i18n.ts'
import { type Session, useSession } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'
import styles from './account.module.css'
import { PaletteButton } from './palette-button.tsx'
import { SectionBar, TabBar } from './tab-bar.tsx'
import { AccountSwitch } from '../team/account-switch.tsx'
import { ToSignIn } from '../to-sign-in.tsx'
import { listHref, type Tab, tabFromAddress, tabHref } from '#contract/account-tabs'
import { loadTab, preparedTab, textsOfTab } from '../places/places.ts'
import type { TabContent } from '../places/tab-content.ts'
import { usablePools } from '../profile.ts'
import { opensTab } from './tab-calls.ts'
import { Settled, TabSkeleton } from './settled.tsx'

const tabComponents = new Map<Tab, TabContent>()

/** A tab that is prepared before it is first rendered needs no fallback. */
function contentOf(tab: Tab): TabContent {
  const known = tabComponents.get(tab)
  if (known !== undefined) return known
  const content = preparedTab(tab) ?? lazyPart(() => loadTab(tab), ...textsOfTab[tab])
  tabComponents.set(tab, content)
  return content
}

function TabPage({ content: Content, user }: { content: TabContent; user: Session }) {
  return <Content user={user} />
}

export function AccountPage() {
  const user = useSession()
  // The server renders the frame, of which the browser makes the account.
  return user === null && !import.meta.env.SSR ? <ToSignIn /> : <Account user={user} />
}

function Account({ user }: { user: Session | null }) {
  const { t } = useTranslation(['userBtns', 'team'])
  const [search] = useSearchParams()
  const tab = tabFromAddress(search)
  const isUnread = useProfilePolling()
  // Without a network the notice above the page says so.
  const isStale = useConnection() === 'online' && isUnread
  const isOneInvoice = search.has('invoice')
  const isOneRequest = tab === 'requests' && search.has('request')
  const opens = (each: Tab) => user === null || opensTab(user, each)
  const showBuy = user === null || roleAllows(user, 'create_invoice_web')
  const bar = { tab, opens, showBuy, showPanel: user === null || usablePools(user).length > 0 }
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
        {user !== null && (
          <div className={styles.switch}>
            <AccountSwitch user={user} />
          </div>
        )}
        <PaletteButton />
      </div>
      <SectionBar {...bar} />
      {isStale && (
        <p role="status" className={styles.stale}>
          {t('stale')}
        </p>
      )}
      {user === null ? (
        <TabSkeleton tab={tab} />
      ) : !opens(tab) ? (
        <p className={styles.stale}>{t('team:closedTab')}</p>
      ) : (
        <Suspense fallback={<TabSkeleton tab={tab} />}>
          <Settled key={tab} tab={tab}>
            <TabPage content={contentOf(tab)} user={user} />
          </Settled>
        </Suspense>
      )}
    </div>
  )
}
