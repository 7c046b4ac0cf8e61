/**
 * The two languages. A namespace of texts is its own file, fetched when a page that needs it is opened. Texts hold
 * `{{values}}` and plural forms (`_one`, `_few`, `_many`, `_other`), written the way i18next writes them, so that any
 * translator's tool reads them; the forty lines that fill them in are ours, because every page carries them.
 */
import { useSyncExternalStore } from 'react'
import type { Language } from '../ui/format.ts'
import { brand, onBrandChange } from './brand.ts'
import { languageOfPath } from './paths.ts'
import { session } from './session.ts'
import { readStored, writeStored } from './storage.ts'
import type { Key, Namespace, Translate, Values } from './texts.ts'

export type { Namespace } from './texts.ts'

interface Tree {
  [key: string]: string | Tree
}
type Texts = ReadonlyMap<string, string>

const files = import.meta.glob<Tree>('../locales/*/*.json', { import: 'default' })
const loaded = new Map<string, Texts>()
const used = new Set<Namespace>()
const listeners = new Set<() => void>()
const plurals = { ru: new Intl.PluralRules('ru'), en: new Intl.PluralRules('en') }

let current: Language = 'ru'
/** The language asked for last: what is fetched meanwhile is fetched in it. */
let coming: Language = 'ru'
let translators = new Map<string, Translate<Namespace>>()

function flat(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
}

async function fetchTexts(language: Language, namespaces: Iterable<Namespace>): Promise<void> {
  const missing = [...namespaces].filter((namespace) => !loaded.has(`${language}/${namespace}`))
  await Promise.all(
    missing.map(async (namespace) => {
      const load = files[`../locales/${language}/${namespace}.json`]
      if (load === undefined) throw new Error(`no texts ${language}/${namespace}`)
      loaded.set(`${language}/${namespace}`, new Map(flat(await load())))
    }),
  )
}

function translate(
  language: Language,
  namespaces: readonly Namespace[],
  key: string,
  values: Values,
): string {
  const [before, after] = key.split(':')
  const [namespace, path] = after === undefined ? [namespaces[0], key] : [before, after]
  const texts = loaded.get(`${language}/${namespace}`)
  const { count } = values
  const form = typeof count === 'number' ? `${path}_${plurals[language].select(count)}` : path
  const text = texts?.get(form ?? '') ?? texts?.get(path ?? '')
  if (text === undefined) return key
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    String(values[name] ?? (name === 'brand' ? brand.name : whole)),
  )
}

function translatorOf(namespaces: readonly Namespace[]): Translate<Namespace> {
  const id = namespaces.join()
  const known = translators.get(id)
  if (known !== undefined) return known
  const language = current
  const made = (key: string, values: Values = {}) => translate(language, namespaces, key, values)
  translators.set(id, made)
  return made
}

function tell(): void {
  // New functions, so that whatever was made with the old ones is made again.
  translators = new Map()
  for (const listener of listeners) listener()
}

onBrandChange(tell)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The texts of a namespace, or of several, for a component: it is painted again when the language changes. */
export function useTranslation<const N extends Namespace | readonly [Namespace, ...Namespace[]]>(
  namespace: N,
): { t: Translate<N> } {
  const namespaces: readonly Namespace[] = typeof namespace === 'string' ? [namespace] : namespace
  const of = () => translatorOf(namespaces)
  // The keys were checked where N was given; inside, a key is any text.
  return { t: useSyncExternalStore(subscribe, of, of) as unknown as Translate<N> }
}

/** A text outside of a component. */
export function text<N extends Namespace>(namespace: N, key: Key<N>, values: Values = {}): string {
  return translate(current, [namespace], key, values)
}

export const currentLanguage = (): Language => current
export const subscribeToLanguage = subscribe

/** Speaks a language from now on; resolves when the texts in use are there in it. */
export async function changeLanguage(language: Language): Promise<void> {
  coming = language
  await fetchTexts(language, used)
  // Somebody may have changed their mind meanwhile, or another page may have asked for more texts.
  if (coming !== language || current === language) return
  current = language
  tell()
}

/** For a route's `lazy`: its texts arrive with its code, so that no page is ever seen without words. */
export async function loadTexts(...namespaces: Namespace[]): Promise<void> {
  for (const namespace of namespaces) used.add(namespace)
  await fetchTexts(coming, namespaces)
}

/** What the person has chosen: in the profile when signed in, else in this browser; null when nothing was. */
export function chosenLanguage(): Language | null {
  const user = session.get()
  if (user !== null) return user.lang === 'rus' ? 'ru' : 'en'
  const stored = readStored('lang')
  return stored === 'en' || stored === 'ru' ? stored : null
}

/** Remembers a choice for this browser. */
export const rememberLanguage = (language: Language) => writeStored('lang', language)

/** In the browser: starts in a language and follows the profile from then on. */
export async function startTexts(language: Language): Promise<void> {
  subscribe(() => {
    document.documentElement.lang = current
  })
  let lang = session.get()?.lang
  session.subscribe(() => {
    const next = session.get()?.lang
    if (next !== undefined && next !== lang) void followProfile(next === 'rus' ? 'ru' : 'en')
    lang = next
  })
  used.add('header')
  await changeLanguage(language)
}

async function followProfile(language: Language): Promise<void> {
  rememberLanguage(language)
  // A public page is in the language of its address.
  if (languageOfPath(window.location.pathname) === null) await changeLanguage(language)
}
