/**
 * The texts in two languages. Each namespace is a file of its own, fetched with the page that needs it. Texts
 * contain `{{values}}` and plural forms (`_one`, `_few`, `_many`, `_other`) in the notation of i18next, which
 * translation tools read; the few lines that fill them in are our own, because every page carries them.
 */
import { useSyncExternalStore } from 'react'
import { languageCookie } from '#contract/frames/frames'
import { type Language, languageOfCode } from '#contract/language'
import { languageOfPath } from '#contract/pages'
import { viewPage } from '#contract/view'
import { flatten, type TextTree } from '../locales/flatten.ts'
import { brand, onBrandChange } from './brand.ts'
import { Listeners } from './listeners.ts'
import { session } from './session.ts'
import { readStored, writeStored } from './storage.ts'
import type { Key, Namespace, Translate, Values } from './text-keys.ts'
import { view } from './view.ts'

export type { Namespace } from './text-keys.ts'

type Texts = ReadonlyMap<string, string>

const files = import.meta.glob<TextTree>('../locales/*/*.json', { import: 'default' })
const loaded = new Map<string, Texts>()
const usedNamespaces = new Set<Namespace>()
const listeners = new Listeners()
const pluralRules = { ru: new Intl.PluralRules('ru'), en: new Intl.PluralRules('en') }

let current: Language = 'ru'
/** The language requested last: namespaces that load meanwhile are loaded in it. */
let requested: Language = 'ru'
let translators = new Map<string, Translate<Namespace>>()

async function fetchTexts(language: Language, namespaces: Iterable<Namespace>): Promise<void> {
  const missing = [...namespaces].filter((namespace) => !loaded.has(`${language}/${namespace}`))
  await Promise.all(
    missing.map(async (namespace) => {
      const load = files[`../locales/${language}/${namespace}.json`]
      if (load === undefined) throw new Error(`no texts ${language}/${namespace}`)
      loaded.set(`${language}/${namespace}`, new Map(flatten(await load())))
    }),
  )
}

function translate(
  language: Language,
  namespaces: readonly Namespace[],
  key: string,
  values: Values,
): string {
  const [first, second] = key.split(':')
  const [namespace, path] = second === undefined ? [namespaces[0], key] : [first, second]
  const texts = loaded.get(`${language}/${namespace}`)
  const { count } = values
  const form = typeof count === 'number' ? `${path}_${pluralRules[language].select(count)}` : path
  const text = texts?.get(form ?? '') ?? texts?.get(path ?? '')
  if (text === undefined) return key
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) =>
    String(values[name] ?? (name === 'brand' ? brand.name : placeholder)),
  )
}

function translatorFor(namespaces: readonly Namespace[]): Translate<Namespace> {
  const id = namespaces.join()
  const known = translators.get(id)
  if (known !== undefined) return known
  const language = current
  const translator = (key: string, values: Values = {}) => translate(language, namespaces, key, values)
  translators.set(id, translator)
  return translator
}

function notify(): void {
  // New functions: whatever was memoised on the old ones is computed again.
  translators = new Map()
  listeners.notify()
}

onBrandChange(notify)

/** The texts of one namespace or of several for a component, which rerenders when the language changes. */
export function useTranslation<const N extends Namespace | readonly [Namespace, ...Namespace[]]>(
  namespace: N,
): { t: Translate<N> } {
  const namespaces: readonly Namespace[] = typeof namespace === 'string' ? [namespace] : namespace
  const snapshot = () => translatorFor(namespaces)
  // The type of N checks the keys at the call; inside, a key is any string.
  return { t: useSyncExternalStore(subscribeToLanguage, snapshot, snapshot) as unknown as Translate<N> }
}

/** A text outside of a component. */
export function text<N extends Namespace>(namespace: N, key: Key<N>, values: Values = {}): string {
  return translate(current, [namespace], key, values)
}

export const currentLanguage = (): Language => current
export const subscribeToLanguage = listeners.subscribe

/** A text in a language that may not be the one on the screen; `loadTextsInBoth` has loaded it. */
export function textIn<N extends Namespace>(language: Language, namespace: N, key: Key<N>): string {
  return translate(language, [namespace], key, {})
}

/** Loads texts in both languages, for pages that show them side by side. */
export async function loadTextsInBoth(...namespaces: Namespace[]): Promise<void> {
  await Promise.all((['ru', 'en'] as const).map((language) => fetchTexts(language, namespaces)))
}

/** The language on the screen. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribeToLanguage, currentLanguage, currentLanguage)
}

/** Changes the language; resolves when the texts in use have loaded in it. */
export async function changeLanguage(language: Language): Promise<void> {
  requested = language
  await fetchTexts(language, usedNamespaces)
  // Another language may have been requested meanwhile.
  if (requested !== language || current === language) return
  current = language
  notify()
}

/** For the `lazy` of a route: the texts arrive with the code, so that no page renders without them. */
export async function loadTexts(...namespaces: Namespace[]): Promise<void> {
  for (const namespace of namespaces) usedNamespaces.add(namespace)
  await fetchTexts(requested, namespaces)
}

/**
 * The language the visitor has chosen: of the profile when signed in, else of this browser; null without a
 * choice.
 */
export function chosenLanguage(): Language | null {
  const user = session.get()
  if (user !== null && view === null) return languageOfCode(user.lang)
  const stored = readStored('lang')
  if (stored === 'en' || stored === 'ru') return stored
  // A member of staff sees the customer's account in the customer's language unless they choose another one
  // in this tab.
  return user === null ? null : languageOfCode(user.lang)
}

/** Stores the choice in this browser. */
export function rememberLanguage(language: Language): void {
  writeStored('lang', language)
  repeatInCookie(language)
}

/** Tells the server the language in which it renders private pages for this browser. */
export function repeatInCookie(language: Language): void {
  // The tab of a member of staff stores nothing for the browser, nor does the page that opens a view.
  const isView = view !== null || window.location.pathname === viewPage
  if (isView || document.cookie.includes(`${languageCookie}=${language}`)) return
  const secure = window.location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = `${languageCookie}=${language}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

/** In the browser: loads the first language and follows that of the profile from then on. */
export async function initLanguage(language: Language): Promise<void> {
  subscribeToLanguage(() => {
    document.documentElement.lang = current
  })
  let lang = session.get()?.lang
  session.subscribe(() => {
    const next = session.get()?.lang
    if (next !== undefined && next !== lang) void followProfile(languageOfCode(next))
    lang = next
  })
  usedNamespaces.add('header')
  await changeLanguage(language)
}

async function followProfile(language: Language): Promise<void> {
  rememberLanguage(language)
  // The address decides the language of a public page.
  if (languageOfPath(window.location.pathname) === null) await changeLanguage(language)
}
