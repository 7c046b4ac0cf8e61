/**
 * The names of countries in both languages, the same table as the server's. Lists from the server are already
 * named in the language of the page; searching needs the other language too, so the table is fetched when it
 * is wanted.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { Language } from '#contract/language'
import { Listeners } from '../listeners.ts'

type Names = Readonly<Record<string, readonly [ru: string, en: string]>>

let names: Names | null = null
let loading: Promise<void> | null = null
const listeners = new Listeners()

/** Fetches the table. After a failure the next call tries again. */
export function loadCountryNames(): Promise<void> {
  loading ??= import('#contract/countries').then(
    ({ countryNames }) => {
      names = countryNames
      listeners.notify()
    },
    () => {
      loading = null
    },
  )
  return loading
}

/** Fetches the table when `wanted` and rerenders the component when it has arrived. */
export function useCountryNames(wanted = true): Names | null {
  useEffect(() => {
    if (wanted) void loadCountryNames()
  }, [wanted])
  return useSyncExternalStore(
    listeners.subscribe,
    () => names,
    () => null,
  )
}

/**
 * The name of a country by its two-letter code; `fallback` while the table is not loaded or lacks the code.
 */
export function countryName(code: string, language: Language, fallback: string = code): string {
  const key = code.toLowerCase()
  const pair = names !== null && Object.hasOwn(names, key) ? names[key] : undefined
  return pair?.[language === 'ru' ? 0 : 1] ?? fallback
}
