/** The account and the order page. Their code is fetched on the first visit. */
import { type LoaderFunctionArgs, redirect, type RouteObject } from 'react-router'
import type { PrivatePath } from '#contract/pages'
import { keepDestination } from '../../state/destination.ts'
import { loadTexts, text } from '../../state/i18n.ts'
import { whenIdle } from '../../state/loading/code.ts'
import { lazyPage, type RouteHandle } from '../../state/loading/route.ts'
import { session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'

/** A guard for pages of signed-in users, who arrive where they were going once they have signed in. */
export function requireSession({ request }: Pick<LoaderFunctionArgs, 'request'>) {
  if (session.get() !== null) return null
  keepDestination(new URL(request.url))
  return redirect('/login')
}

/** A visitor without a session is sent to registration: new customers arrive at the order page. */
async function requireAccount({ request }: LoaderFunctionArgs) {
  if (session.get() !== null) return null
  keepDestination(new URL(request.url))
  await loadTexts('purchase')
  toast.info(text('purchase', 'registerFirst'))
  return redirect('/register')
}

const compactFooter: RouteHandle = { compactFooter: true }

export type AccountPath = Extract<PrivatePath, '/account' | '/purchase' | '/profile'>

export const accountRoutes: Readonly<Record<AccountPath, Pick<RouteObject, 'handle' | 'loader' | 'lazy'>>> = {
  '/account': {
    handle: compactFooter,
    loader: requireSession,
    lazy: lazyPage(
      async () => {
        const { AccountPage } = await import('./account.tsx')
        whenIdle(() => import('./tab-components.ts'))
        return AccountPage
      },
      'userBtns',
      'userPanel',
      'requests',
      'proxyCodes',
    ),
  },
  '/purchase': {
    handle: compactFooter,
    loader: requireAccount,
    lazy: lazyPage(async () => (await import('../purchase/purchase-page.tsx')).PurchasePage, 'purchase'),
  },
  '/profile': { loader: () => redirect('/account') },
}
