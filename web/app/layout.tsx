import { lazy, Suspense, useEffect, useState } from 'react'
import { Outlet, ScrollRestoration, useMatches, useNavigation } from 'react-router'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { loadTexts, useTranslation } from './i18n.ts'
import styles from './layout.module.css'
import type { RouteHandle } from './router.tsx'
import { whenToastWanted } from './toast.ts'

const Toaster = lazy(async () => {
  const [toaster] = await Promise.all([import('./toaster.tsx'), loadTexts('notifications')])
  return toaster
})

/** The frame of every page: header (not where signing in is all there is to do), the page, footer. */
export function Layout() {
  const { t } = useTranslation('header')
  const handles = useMatches().map(({ handle }) => handle as RouteHandle | undefined)
  const bare = handles.some((handle) => handle?.bare === true)
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      <Progress />
      {!bare && <Header />}
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <Footer low={handles.some((handle) => handle?.work === true)} />
      <ScrollRestoration />
      <LateToaster />
    </div>
  )
}

/** A thin lane along the top while the next page is on its way, only when that takes long enough to be noticed. */
function Progress() {
  const busy = useNavigation().state !== 'idle'
  return <div className={styles.progress} data-busy={busy || undefined} aria-hidden="true" />
}

/** The toaster is not needed to see the page, so it comes after it, or when somebody has something to say. */
function LateToaster() {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), 3000)
    const forget = whenToastWanted(() => setReady(true))
    return () => {
      clearTimeout(timer)
      forget()
    }
  }, [])
  return ready ? (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
  ) : null
}

/** Before the first page is there: its ground, and a word for those who do not see it. */
export function Waiting() {
  const { t } = useTranslation('header')
  return (
    <div className={styles.frame} role="status">
      <span className="sr-only">{t('loading')}</span>
    </div>
  )
}
