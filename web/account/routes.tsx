/** The account and the purchase page: fetched when somebody goes there, closed to those who are not signed in. */
import { redirect, type RouteObject } from 'react-router'
import { loadTexts, text } from '../app/i18n.ts'
import { session } from '../app/session.ts'
import { toast } from '../app/toast.ts'

function signedInOnly() {
  return session.get() === null ? redirect('/login') : null
}

async function registeredOnly() {
  if (session.get() !== null) return null
  await loadTexts('purchase')
  toast.info(text('purchase', 'registerFirst'))
  return redirect('/register')
}

export const accountRoutes: RouteObject[] = [
  {
    path: 'account',
    handle: { work: true },
    loader: signedInOnly,
    lazy: async () => {
      const [{ AccountPage }] = await Promise.all([
        import('./account.tsx'),
        import('./blocks.ts'),
        loadTexts('userBtns', 'userPanel'),
      ])
      return { Component: AccountPage }
    },
  },
  {
    path: 'purchase',
    handle: { work: true },
    loader: registeredOnly,
    lazy: async () => {
      const [{ PurchasePage }] = await Promise.all([
        import('../purchase/purchase.tsx'),
        loadTexts('purchase'),
      ])
      return { Component: PurchasePage }
    },
  },
  { path: 'profile', loader: () => redirect('/account') },
]
