import {
  createBrowserRouter,
  matchRoutes,
  redirect,
  type LazyRouteFunction,
  type RouteObject,
} from 'react-router'
import { accountRoutes } from '../account/routes.tsx'
import type { Language } from '../ui/format.ts'
import { FailedPage } from './failed.tsx'
import { changeLanguage, chosenLanguage, currentLanguage, loadTexts } from './i18n.ts'
import { Layout, Waiting } from './layout.tsx'
import { publicPaths } from './paths.ts'
import { publicPages } from './public-pages.ts'
import { session } from './session.ts'

/** Signing in is for those who are not: the others are led on. */
const unlessSignedIn = (target: string) => () => (session.get() === null ? null : redirect(target))

/** What a route says about the frame around it. */
export interface RouteHandle {
  /** No header: the page is one decision. */
  bare?: boolean
  /** A place of work: one line of footer, not a map of the site. */
  work?: boolean
}

const bare: RouteHandle = { bare: true }

/** Pages below it are in one language, whoever reads them. */
const speak = (language: Language) => async () => {
  await changeLanguage(language)
  return null
}

/** Pages below it are in the language of the person, else in the one on the screen. */
async function speakToPerson() {
  await changeLanguage(chosenLanguage() ?? currentLanguage())
  return null
}

function publicRoutes(): RouteObject[] {
  return publicPaths.map((path) => {
    const { load, texts } = publicPages[path]
    const lazy = async () => {
      const [Component] = await Promise.all([load(), loadTexts(...texts)])
      return { Component }
    }
    return path === '/' ? { index: true, lazy } : { path: path.slice(1), lazy }
  })
}

const ownPages: RouteObject[] = [
  {
    path: 'login',
    handle: bare,
    loader: unlessSignedIn('/account'),
    lazy: async () => {
      const [{ LoginPage }] = await Promise.all([import('../storefront/auth/login.tsx'), loadTexts('auth')])
      return { Component: LoginPage }
    },
  },
  {
    path: 'register',
    handle: bare,
    loader: unlessSignedIn('/'),
    lazy: async () => {
      const [{ RegisterPage }] = await Promise.all([
        import('../storefront/auth/register.tsx'),
        loadTexts('auth'),
      ])
      return { Component: RegisterPage }
    },
  },
  {
    path: 'telegram-login',
    handle: bare,
    loader: unlessSignedIn('/account'),
    lazy: async () => {
      const [{ TelegramLoginPage }] = await Promise.all([
        import('../storefront/auth/telegram-login.tsx'),
        loadTexts('auth'),
      ])
      return { Component: TelegramLoginPage }
    },
  },
  {
    path: 'forgot_password',
    lazy: async () => {
      const [{ ForgotPasswordPage }] = await Promise.all([
        import('../storefront/auth/forgot-password.tsx'),
        loadTexts('auth'),
      ])
      return { Component: ForgotPasswordPage }
    },
  },
  {
    path: 'reset_password',
    lazy: async () => {
      const [{ ResetPasswordPage }] = await Promise.all([
        import('../storefront/auth/reset-password.tsx'),
        loadTexts('auth'),
      ])
      return { Component: ResetPasswordPage }
    },
  },
  {
    path: 'confirm_email',
    lazy: async () => {
      const [{ ConfirmEmailPage }] = await Promise.all([
        import('../storefront/auth/confirm-email.tsx'),
        loadTexts('auth'),
      ])
      return { Component: ConfirmEmailPage }
    },
  },
  {
    path: 'promocode',
    loader: () => (session.get() === null ? redirect('/login') : null),
    lazy: async () => {
      const [{ PromocodePage }] = await Promise.all([
        import('../storefront/promocode/promocode.tsx'),
        loadTexts('promocode'),
      ])
      return { Component: PromocodePage }
    },
  },
  ...accountRoutes,
]

/** All addresses, each public page in two languages. Made anew for every router, which keeps its own copy. */
export function makeRoutes(): RouteObject[] {
  const missing: RouteObject = {
    path: '*',
    lazy: async () => ({ Component: (await import('../storefront/missing.tsx')).MissingPage }),
  }
  const languages: RouteObject[] = [
    { id: 'ru', loader: speak('ru'), children: publicRoutes() },
    { id: 'en', path: 'en', loader: speak('en'), children: [...publicRoutes(), missing] },
    { id: 'own', loader: speakToPerson, children: [...ownPages, missing] },
  ]
  return [
    {
      element: <Layout />,
      hydrateFallbackElement: <Waiting />,
      errorElement: <FailedPage />,
      children: [{ errorElement: <FailedPage />, children: languages }],
    },
  ]
}

/**
 * The router of the browser. A page that came written is taken over as it stands: its code and texts are here before
 * the first paint, and what its address decides is decided.
 */
export async function makeRouter(written: boolean) {
  const routes = makeRoutes()
  if (!written) return createBrowserRouter(routes)
  const matches = matchRoutes(routes, window.location) ?? []
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy !== 'function') return
      const load = route.lazy as LazyRouteFunction<RouteObject>
      Object.assign(route, await load(), { lazy: undefined })
    }),
  )
  return createBrowserRouter(routes, { hydrationData: { loaderData: { ru: null, en: null } } })
}
