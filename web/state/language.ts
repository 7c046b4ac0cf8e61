import type { MouseEvent } from 'react'
import { useLocation } from 'react-router'
import { codeOfLanguage, type Language } from '#contract/language'
import { alternatePath, localPath } from '#contract/pages'
import { call } from './api.ts'
import { invalidateCache } from './cache.ts'
import { changeLanguage, rememberLanguage, useLanguage, useTranslation } from './i18n.ts'
import { logError } from './log.ts'
import { session } from './session.ts'
import { view } from './view.ts'

/** Converts internal links for the language on the screen: on an English page, `/rules` is `/en/rules`. */
export function useLocalPath(): (to: string) => string {
  const language = useLanguage()
  return (to) => localPath(to, language)
}

let navigate: (path: string) => Promise<void> = async () => undefined

/** Registers the navigation to the same page in another language: the router is created later. */
export function onLanguageNavigation(go: (path: string) => Promise<void>): void {
  navigate = go
}

/**
 * Changes the language on the screen at once, then on the server; a failure there leaves the screen as it is.
 */
async function switchLanguage(language: Language): Promise<void> {
  rememberLanguage(language)
  const alternate = alternatePath(window.location, language)
  await (alternate === null ? changeLanguage(language) : navigate(alternate))
  // The server names places and writes messages in the language of the request.
  invalidateCache()
  if (session.get() === null || view !== null) return
  const code = codeOfLanguage(language)
  try {
    await call('change_language', { code })
    // A profile requested before the change would restore the old language.
    invalidateCache(['legacy_profile'])
    session.setLanguage(code)
  } catch (error) {
    logError('the language was not saved', error)
  }
}

/** The properties of the language switch. */
export function useLanguageSwitch() {
  const { t } = useTranslation('header')
  const current = useLanguage()
  const location = useLocation()
  return {
    label: t('language'),
    current,
    hrefOf: (language: Language) => alternatePath(location, language),
    onSwitch: (language: Language, event: MouseEvent) => {
      const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey
      if (opensElsewhere) return
      event.preventDefault()
      void switchLanguage(language)
    },
  }
}
