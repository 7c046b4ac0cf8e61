import { useSyncExternalStore } from 'react'
import type { Language } from '../ui/format.ts'
import { call, queryClient } from './api.ts'
import { changeLanguage, currentLanguage, rememberLanguage, subscribeToLanguage } from './i18n.ts'
import { logFault } from './log.ts'
import { twinOf } from './paths.ts'
import { session } from './session.ts'

/** The language on the screen. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribeToLanguage, currentLanguage, currentLanguage)
}

let goTo: (address: string) => Promise<void> = async () => undefined

/** The router is made later: it says here how to get to the same page in another language. */
export function onLanguageMove(go: (address: string) => Promise<void>): void {
  goTo = go
}

/** Changes the screen at once, then tells the server; a server that does not take it changes nothing here. */
export async function switchLanguage(language: Language): Promise<void> {
  rememberLanguage(language)
  const twin = twinOf(window.location, language)
  await (twin === null ? changeLanguage(language) : goTo(twin))
  // Names of places and sentences of the server come in the language they were asked for in.
  void queryClient.invalidateQueries()
  if (session.get() === null) return
  const code = language === 'ru' ? 'rus' : 'eng'
  try {
    await call('change_language', { code })
    // A profile asked for before the change would bring the old language back.
    void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
    session.setLanguage(code)
  } catch (error) {
    logFault('the language was not saved', error)
  }
}
