/**
 * Private pages that the server renders before anything is known of the visitor: the page of signing in, and
 * the account without its content. One for each tab of the account and each language, the same for everybody.
 */
import { type Tab, tabFromAddress, tabHref, tabs } from '../account-tabs.ts'
import { type Language, languages } from '../language.ts'

export type Frame = '/login' | '/account' | `/account?tab=${Tab}`

export const frames: readonly Frame[] = ['/login', ...tabs.map((tab) => tabHref(tab) as Frame)]

export const framePaths = ['/login', '/account'] as const

/** The frame of an address; only known tabs count, so there are few frames whatever is requested. */
export const frameOf = (path: (typeof framePaths)[number], search: URLSearchParams): Frame =>
  path === '/login' ? path : (tabHref(tabFromAddress(search)) as Frame)

/** The name of a frame in file names: `account-panel`. */
export const fileNameOfFrame = (frame: Frame): string => frame.slice(1).replace('?tab=', '-')

/** The path at which the account's pages get the answers of their first screen. */
export const firstReadsPath = '/account/reads'

/** The cookie that repeats the visitor's choice of a language, for the server's part of private pages. */
export const languageCookie = 'lang'

/** The language in a cookie header; Russian, as everywhere, without a choice. */
export function languageOfCookie(header: string | undefined): Language {
  const cookies = (header ?? '').split(';').map((each) => each.trim())
  return languages.find((language) => cookies.includes(`${languageCookie}=${language}`)) ?? 'ru'
}
