/**
 * What countries are called in both languages, as the server has it too. The server names them in the reader's
 * language wherever it lists them; the other language is for those who search, so it is fetched when somebody does.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { Language } from '../ui/format.ts'

type Names = Readonly<Record<string, readonly [ru: string, en: string]>>

let known: Names | null = null
let coming: Promise<void> | null = null
const listeners = new Set<() => void>()

/** Fetches the names; should that fail, the next who asks tries again. */
export function loadCountryNames(): Promise<void> {
  coming ??= import('#contract/countries').then(
    ({ countryNames }) => {
      known = countryNames
      for (const listener of listeners) listener()
    },
    () => {
      coming = null
    },
  )
  return coming
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** For a component that names countries: fetches the names once wanted, and paints again when they are there. */
export function useCountryNames(wanted = true): Names | null {
  useEffect(() => {
    if (wanted) void loadCountryNames()
  }, [wanted])
  return useSyncExternalStore(
    subscribe,
    () => known,
    () => null,
  )
}

/** A country's name by its two-letter code; the given one as long as no other is known. */
export function countryName(code: string, language: Language, otherwise: string = code): string {
  const lower = code.toLowerCase()
  const names = known !== null && Object.hasOwn(known, lower) ? known[lower] : undefined
  return names?.[language === 'ru' ? 0 : 1] ?? otherwise
}
