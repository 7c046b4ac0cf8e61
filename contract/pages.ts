/**
 * The addresses of the pages, used by both the browser's router and the server.
 *
 * A public page exists in both languages, in Russian at its plain path and in English under /en: the path
 * decides the language. Every other page has one address and is shown in the language of the visitor.
 */
import type { Language } from './language.ts'
import { legalPaths } from './legal/pages.ts'

export const publicPaths = [
  '/',
  '/proxy',
  '/shares',
  '/reviews',
  '/rules',
  '/docs',
  '/status',
  ...Object.values(legalPaths),
] as const
export type PublicPath = (typeof publicPaths)[number]

/** Pages about one visitor: search engines do not index them. */
export const privatePaths = [
  '/login',
  '/register',
  '/telegram-login',
  '/forgot_password',
  '/reset_password',
  '/confirm_email',
  '/undo_email',
  '/team_invitation',
  '/see_as',
  '/promocode',
  '/account',
  '/purchase',
  '/profile',
  '/verify-bill',
] as const
export type PrivatePath = (typeof privatePaths)[number]

/** Stands in built pages for the public address of the server, which the build does not know. */
export const publicUrlPlaceholder = 'https://public-url.invalid'

/** The name of a public page in file names: `home` for `/`, `rules` for `/rules`. */
export const fileNameOf = (page: PublicPath): string => (page === '/' ? 'home' : page.slice(1))

const isPublic = (path: string): path is PublicPath => publicPaths.some((each) => each === path)

/** The path without its language prefix and trailing slashes: `/en/rules` and `/rules/` are `/rules`. */
function withoutLanguage(pathname: string): string {
  const inside = /^\/en(?=\/|$)/.test(pathname) ? pathname.slice(3) : pathname
  let end = inside.length
  while (inside[end - 1] === '/') end -= 1
  return inside.slice(0, end) || '/'
}

/** The public page at a path, in either language; null for any other page. */
export function publicPageOf(pathname: string): PublicPath | null {
  const path = withoutLanguage(pathname)
  return isPublic(path) ? path : null
}

/** The language that a path stands for; null where the language of the visitor decides. */
export function languageOfPath(pathname: string): Language | null {
  if (/^\/en(\/|$)/.test(pathname)) return 'en'
  return publicPageOf(pathname) === null ? null : 'ru'
}

/** An internal link (`/rules`, `/?pool=mobile#prices`, `/login`) as a page in the given language has it. */
export function localPath(to: string, language: Language): string {
  const at = to.search(/[?#]/)
  const [path, rest] = at === -1 ? [to, ''] : [to.slice(0, at), to.slice(at)]
  if (language === 'ru' || !isPublic(path)) return to
  return (path === '/' ? '/en' : `/en${path}`) + rest
}

/**
 * The same public page in another language, query and fragment kept; null for a page that has one address.
 */
export function alternatePath(
  { pathname, search, hash }: { pathname: string; search: string; hash: string },
  language: Language,
): string | null {
  const page = publicPageOf(pathname)
  return page === null ? null : localPath(page, language) + search + hash
}
