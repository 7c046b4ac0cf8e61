import type { Language } from '#contract/language'
import { type PrivatePath, publicPaths } from '#contract/pages'
import { type AccountPath, accountRoutes, requireSession } from '../account/page/routes.tsx'
import { Router } from '../router/router.ts'
import { redirect, type Route } from '../router/routes.ts'
import { changeLanguage, chosenLanguage, currentLanguage } from '../state/i18n.ts'
import { takeDestination } from '../state/destination.ts'
import { lazyPage, type RouteHandle } from '../state/loading/route.ts'
import { session } from '../state/session.ts'
import { Layout } from './layout.tsx'
import { publicPages } from './public-pages.ts'

const toHomeIfSignedIn = () => (session.get() === null ? null : redirect('/'))

/** Signed-in visitors of the sign-in pages go on to the page that they had requested. */
const goOnIfSignedIn = () => (session.get() === null ? null : redirect(takeDestination()))

const noHeader: RouteHandle = { hideHeader: true }

/** A loader for pages whose path decides their language. */
const inLanguage = (language: Language) => async () => {
  await changeLanguage(language)
  return null
}

/** A loader for pages in the language that the visitor has chosen, else in the one on the screen. */
async function inChosenLanguage() {
  await changeLanguage(chosenLanguage() ?? currentLanguage())
  return null
}

function publicRoutes(): Route[] {
  return publicPaths.map((path) => {
    const { load, texts } = publicPages[path]
    const lazy = lazyPage(load, ...texts)
    return path === '/' ? { lazy } : { path: path.slice(1), lazy }
  })
}

type SignInPath = Extract<
  PrivatePath,
  | '/login'
  | '/telegram-login'
  | '/forgot_password'
  | '/reset_password'
  | '/confirm_email'
  | '/undo_email'
  | '/see_as'
>

/** Sign-in pages: each is one form and reads nothing, so they do not load the library of reads. */
const signInRoutes: Readonly<Record<SignInPath, Route>> = {
  '/login': {
    handle: noHeader,
    loader: goOnIfSignedIn,
    lazy: lazyPage(async () => (await import('../storefront/auth/login.tsx')).LoginPage, 'auth', 'factors'),
  },
  '/telegram-login': {
    handle: noHeader,
    loader: goOnIfSignedIn,
    lazy: lazyPage(
      async () => (await import('../storefront/auth/telegram-login.tsx')).TelegramLoginPage,
      'auth',
      'factors',
    ),
  },
  '/forgot_password': {
    lazy: lazyPage(
      async () => (await import('../storefront/auth/forgot-password.tsx')).ForgotPasswordPage,
      'auth',
    ),
  },
  '/reset_password': {
    lazy: lazyPage(
      async () => (await import('../storefront/auth/reset-password.tsx')).ResetPasswordPage,
      'auth',
    ),
  },
  '/confirm_email': {
    lazy: lazyPage(
      async () => (await import('../storefront/auth/confirm-email.tsx')).ConfirmEmailPage,
      'auth',
    ),
  },
  '/undo_email': {
    handle: noHeader,
    lazy: lazyPage(async () => (await import('../storefront/auth/undo-email.tsx')).UndoEmailPage, 'auth'),
  },
  '/see_as': {
    handle: noHeader,
    lazy: lazyPage(async () => (await import('../storefront/see-as/see-as.tsx')).SeeAsPage, 'seeAs'),
  },
}

/** Pages that read data. */
const readingRoutes: Readonly<Record<Exclude<PrivatePath, AccountPath | SignInPath>, Route>> = {
  '/register': {
    handle: noHeader,
    loader: toHomeIfSignedIn,
    lazy: lazyPage(
      async () => (await import('../storefront/auth/register.tsx')).RegisterPage,
      'auth',
      'legal',
    ),
  },
  '/team_invitation': {
    lazy: lazyPage(
      async () => (await import('../storefront/auth/team/team-invitation.tsx')).TeamInvitationPage,
      'team',
    ),
  },
  '/verify-bill': {
    lazy: lazyPage(async () => (await import('../storefront/bill/verify-bill.tsx')).VerifyBillPage, 'bill'),
  },
  '/promocode': {
    loader: requireSession,
    lazy: lazyPage(
      async () => (await import('../storefront/promocode/promocode.tsx')).PromocodePage,
      'promocode',
    ),
  },
}

const routesOf = (routes: Readonly<Record<string, Route>>): Route[] =>
  Object.entries(routes).map(([path, route]) => ({ path: path.slice(1), ...route }))

/** Gives these pages the cache of reads, which is fetched beside their own code. */
const withReads = (children: Route[]): Route => ({
  lazy: lazyPage(async () => (await import('./query-provider.tsx')).QueryProvider),
  children,
})

/**
 * The routes, with each public page in both languages. Created for each router, which modifies its own copy.
 */
export function createRoutes(): Route[] {
  const notFound: Route = {
    path: '*',
    lazy: lazyPage(async () => (await import('../storefront/not-found.tsx')).NotFoundPage),
  }
  const byLanguage: Route[] = [
    { loader: inLanguage('ru'), children: [withReads(publicRoutes())] },
    { path: 'en', loader: inLanguage('en'), children: [withReads(publicRoutes()), notFound] },
    {
      loader: inChosenLanguage,
      children: [
        ...routesOf(signInRoutes),
        withReads(routesOf({ ...readingRoutes, ...accountRoutes })),
        notFound,
      ],
    },
  ]
  return [{ Component: Layout, children: byLanguage }]
}

/**
 * The router of the browser. For a hydrated page it loads the code and skips the loaders, so that hydration
 * starts from the server's markup. In other cases the caller starts the router.
 */
export async function createRouter(isHydrated: boolean): Promise<Router> {
  const router = new Router(createRoutes())
  if (isHydrated) await router.hydrate()
  return router
}
