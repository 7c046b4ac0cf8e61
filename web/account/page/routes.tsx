/** The account and the order page. Their code is fetched on the first visit. */
import { tabFromAddress } from '#contract/account-tabs'
import type { PrivatePath } from '#contract/pages'
import { keepDestination } from '../../state/destination.ts'
import { chosenLanguage, currentLanguage, loadTexts, text } from '../../state/i18n.ts'
import { lazyPage, type RouteHandle } from '../../state/loading/route.ts'
import { hasFirstScreen, takeFirstReads } from '../../state/page-data.ts'
import { session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { redirect, type Route } from '../../router/routes.ts'
import { prepareTab, textsOfAccount } from '../places/places.ts'

/** A guard for pages of signed-in users: after signing in, visitors arrive at the requested page. */
export function requireSession({ url }: { url: URL }) {
  if (session.get() !== null) return null
  keepDestination(url)
  return redirect('/login')
}

/** Fetches the tab beside the frame around it. */
async function openAccount({ url }: { url: URL }) {
  const refused = requireSession({ url })
  if (refused !== null) return refused
  const tab = tabFromAddress(url.searchParams)
  // Code that fails to load is fetched again, and reported, when it is rendered.
  const code = prepareTab(tab).catch(() => undefined)
  const user = session.get()
  if (user !== null) await takeFirstReads(user.token, chosenLanguage() ?? currentLanguage())
  // What the server has rendered of the tab stays until the tab itself can be shown.
  if (hasFirstScreen()) await code
  return null
}

/** A visitor without a session is sent to registration: new customers arrive at the order page. */
async function requireAccount({ url }: { url: URL }) {
  if (session.get() !== null) return null
  keepDestination(url)
  await loadTexts('purchase')
  toast.info(text('purchase', 'registerFirst'))
  return redirect('/register')
}

const compactFooter: RouteHandle = { compactFooter: true }

export type AccountPath = Extract<PrivatePath, '/account' | '/purchase' | '/profile'>

export const accountRoutes: Readonly<Record<AccountPath, Route>> = {
  '/account': {
    handle: compactFooter,
    loader: openAccount,
    lazy: lazyPage(async () => (await import('./account.tsx')).AccountPage, ...textsOfAccount),
  },
  '/purchase': {
    handle: compactFooter,
    loader: requireAccount,
    lazy: lazyPage(async () => (await import('../purchase/purchase-page.tsx')).PurchasePage, 'purchase'),
  },
  '/profile': { loader: () => redirect('/account') },
}
