import { startTransition, StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { alternatePath, languageOfPath } from '#contract/pages'
import './ui/styles/fonts.css'
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { RouterProvider } from './router/provider.tsx'
import { ErrorPage } from './shell/error-page.tsx'
import { LoadingPage } from './shell/layout.tsx'
import { isAsRendered } from './shell/hydration.ts'
import { createRouter } from './shell/router.tsx'
import { onSignedOut } from './state/api.ts'
import { keepLeftPlace } from './state/destination.ts'
import { chosenLanguage, initLanguage, repeatInCookie } from './state/i18n.ts'
import { onLanguageNavigation } from './state/language.ts'
import { restoreEmbeddedData } from './state/page-data.ts'
import { captureReferral } from './state/referral.ts'

const root = document.getElementById('app')
if (root === null) throw new Error('the page has no element #app')
const isRendered = root.hasChildNodes()

/**
 * Not at the top level of the module: the bundler merges no chunks where a module awaits there.
 */
async function start(root: HTMLElement): Promise<void> {
  captureReferral()
  const pathLanguage = languageOfPath(window.location.pathname)
  const chosen = chosenLanguage()
  // A visitor who has chosen a language reads every page in it. The alternate page is prerendered too: nothing
  // is hydrated here before leaving for it.
  const alternate =
    chosen === null || pathLanguage === null || pathLanguage === chosen
      ? null
      : alternatePath(window.location, chosen)
  if (alternate !== null) {
    window.location.replace(alternate)
    await new Promise(() => undefined)
  }
  restoreEmbeddedData()
  const language = pathLanguage ?? chosen ?? 'ru'
  await initLanguage(language)
  if (chosen !== null) repeatInCookie(chosen)
  const isHydrated = isRendered && isAsRendered()
  const router = await createRouter(isHydrated)
  // What the server rendered stays until the page can take its place.
  if (isRendered && !isHydrated) await router.start()
  else if (!isHydrated) void router.start()
  onSignedOut(() => {
    keepLeftPlace(router.state.location)
    void router.navigate('/login')
  })
  onLanguageNavigation((path) => router.navigate(path, { replace: true, preventScrollReset: true }))

  const page = (
    <StrictMode>
      <RouterProvider router={router} loading={<LoadingPage />} failed={<ErrorPage />} />
    </StrictMode>
  )
  // As a transition, hydration yields to input between components.
  if (isHydrated) startTransition(() => void hydrateRoot(root, page))
  else {
    if (isRendered) document.head.querySelector('title')?.remove()
    // At once: a press held until now is repeated on the page, not on what the server rendered.
    flushSync(() => createRoot(root).render(page))
    root.hidden = false
  }
  // From here on the page answers to input: start.ts and the browser tests wait for this.
  root.dataset['live'] = ''
  root.dispatchEvent(new Event('live'))

  // The prerendered head describes the first page only.
  const firstPath = window.location.pathname
  router.subscribe(({ location }) => {
    if (location.pathname === firstPath) return
    for (const element of document.head.querySelectorAll('[data-page]')) element.remove()
  })
}

void start(root)
