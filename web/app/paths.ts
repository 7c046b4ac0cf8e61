/**
 * Public pages exist twice: in Russian at their plain address and in English under /en. Their address decides their
 * language. The pages of signing in and of the account have one address, and speak the language of the person.
 */
import type { Language } from '../ui/format.ts'

export const publicPaths = ['/', '/proxy', '/shares', '/reviews', '/rules'] as const
export type PublicPath = (typeof publicPaths)[number]

const isPublic = (path: string): path is PublicPath => publicPaths.some((each) => each === path)

/** The path without its language: `/en/rules` and `/rules/` are `/rules`. */
function bare(pathname: string): string {
  const inside = /^\/en(?=\/|$)/.test(pathname) ? pathname.slice(3) : pathname
  return inside.replace(/\/+$/, '') || '/'
}

/** The public page at an address, in whichever language; null for any other page. */
export function publicPageOf(pathname: string): PublicPath | null {
  const path = bare(pathname)
  return isPublic(path) ? path : null
}

/** The language that an address stands for; null where the person's own language decides. */
export function languageOfPath(pathname: string): Language | null {
  if (/^\/en(\/|$)/.test(pathname)) return 'en'
  return publicPageOf(pathname) === null ? null : 'ru'
}

/** A link of the product (`/rules`, `/?pool=mobile#prices`, `/login`) as it is written on a page in a language. */
export function localPath(to: string, language: Language): string {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/.exec(to) ?? []
  if (language === 'ru' || !isPublic(path)) return to
  return (path === '/' ? '/en' : `/en${path}`) + rest
}

/** The same public page in another language, with its query; null where there is only one page. */
export function twinOf(
  { pathname, search, hash }: { pathname: string; search: string; hash: string },
  language: Language,
): string | null {
  const page = publicPageOf(pathname)
  return page === null ? null : localPath(page, language) + search + hash
}
