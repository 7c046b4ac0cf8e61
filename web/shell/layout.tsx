import { Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { SafePage, useHandles, useIsBusy } from '../router/provider.tsx'
import { useAccountCurrency } from '../state/currency.ts'
import { lazyPart } from '../state/loading/code.ts'
import { useConnection } from '../state/connection.ts'
import { useTranslation } from '../state/i18n.ts'
import type { RouteHandle } from '../state/loading/route.ts'
import { useSession } from '../state/session.ts'
import { onToasterRequest, useWaitingNotification } from '../state/toast.ts'
import { useActing } from '../state/team/team.ts'
import { useView } from '../state/view.ts'
import { ErrorPage } from './error-page.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import styles from './layout.module.css'
import { useNotice } from './notice.ts'

// `lazyPart` waits for a connection, so a notification that cannot load does not break the page.
const Toaster = lazyPart(async () => (await import('./toaster.tsx')).default)
const ViewBanner = lazyPart(async () => (await import('./view-banner.tsx')).default, 'seeAs')
const TeamBanner = lazyPart(async () => (await import('./team-banner.tsx')).default, 'team')
const PaletteKey = lazyPart(async () => (await import('../account/palette/palette-key.tsx')).PaletteKey)

/** The pages where the palette opens by its key only, without a button. */
const palettePages = /^(?:\/en)?\/(?:docs|purchase)\/?$/

/** The layout of every page: header, the page, footer. */
export function Layout() {
  const { t } = useTranslation('header')
  useAccountCurrency()
  const handles = useHandles().map((handle) => handle as RouteHandle | undefined)
  const isView = useView() !== null
  const hasPalette = palettePages.test(useLocation().pathname)
  const isSignedIn = useSession() !== null
  const isActing = useActing() !== undefined
  const hideHeader = handles.some((handle) => handle?.hideHeader === true)
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      {isView && (
        <Suspense fallback={null}>
          <ViewBanner />
        </Suspense>
      )}
      {isActing && (
        <Suspense fallback={null}>
          <TeamBanner />
        </Suspense>
      )}
      <NavigationProgress />
      <ConnectionNotice />
      <ShopNotice />
      {!hideHeader && <Header />}
      <main id="content" className={styles.main} tabIndex={-1}>
        <SafePage instead={<ErrorPage />} />
      </main>
      <Footer compact={handles.some((handle) => handle?.compactFooter === true)} />
      <DeferredToaster />
      {hasPalette && isSignedIn && (
        <Suspense fallback={null}>
          <PaletteKey />
        </Suspense>
      )}
    </div>
  )
}

/**
 * A bar along the top while the next page loads; the style sheet shows it only when that takes noticeably
 * long.
 */
function NavigationProgress() {
  const busy = useIsBusy()
  return <div className={styles.progress} data-busy={busy || undefined} aria-hidden="true" />
}

/** The shop's notice to all customers; one that begins while the page is open is announced. */
function ShopNotice() {
  const { t } = useTranslation('header')
  const text = useNotice()
  return (
    <section className={styles.notice} aria-label={t('notice')} aria-live="polite" hidden={text === null}>
      {text !== null && <p>{text}</p>}
    </section>
  )
}

/**
 * Reports that there is no network, or that the site waits for the server. Part of the first chunk, because
 * nothing else can be loaded then.
 */
function ConnectionNotice() {
  const { t } = useTranslation('header')
  const connection = useConnection()
  const notification = useWaitingNotification()
  return (
    <div role="status" className={styles.connection}>
      {connection !== 'online' && <p>{t(connection)}</p>}
      {connection !== 'online' && notification !== null && <p className={styles.waiting}>{notification}</p>}
    </div>
  )
}

/** Loads the toaster after the page: three seconds later, or with the first notification. */
function DeferredToaster() {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 3000)
    const unsubscribe = onToasterRequest(() => setReady(true))
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [])
  return ready ? (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
  ) : null
}

/**
 * Shown until the first page has loaded, after the same outline in index.html; announced to screen readers.
 */
export function LoadingPage() {
  const { t } = useTranslation('header')
  return (
    <div className={styles.frame} role="status">
      <span className="sr-only">{t('loading')}</span>
      <div className="opening" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
    </div>
  )
}
