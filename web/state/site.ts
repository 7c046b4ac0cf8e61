/**
 * The operator's settings of the site: brand, links, rules. Until they have loaded, pages show their own
 * texts.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { CallError } from '#contract/transport'
import { call } from './api.ts'
import { brand, setBrand } from './brand.ts'
import { useLanguage, useTranslation } from './i18n.ts'
import { Listeners } from './listeners.ts'
import { logError } from './log.ts'

export type Site = Output<'site'>

const freshMs = 300_000
const retryAfterMs = 400

/** The texts differ by language, and one visit can need both. */
const sites = new Map<Language, { site: Site; at: number }>()
const loading = new Map<Language, Promise<void>>()
const listeners = new Listeners()

/** The key of the site’s settings among the answers of a page. */
export const siteKey = (language: Language) => ['site', language] as const

export const isSiteKey = (key: readonly unknown[]): key is ReturnType<typeof siteKey> => key[0] === 'site'

/** Takes over the settings with which the server rendered the page, and forgets others. */
export function restoreSites(known: readonly [Language, Site][]): void {
  sites.clear()
  for (const [language, site] of known) sites.set(language, { site, at: Date.now() })
  listeners.notify()
}

async function load(language: Language): Promise<void> {
  const site = await call('site', {})
  sites.set(language, { site, at: Date.now() })
  setBrand(site.brand.name)
  listeners.notify()
}

/** Retries once after network errors and server errors; the server would refuse the same call again. */
async function loadTwice(language: Language): Promise<void> {
  try {
    await load(language)
  } catch (error) {
    if (error instanceof CallError && error.status > 0 && error.status < 500) throw error
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
    await load(language)
  }
}

/** Reads the settings unless they are known and fresh. */
function refresh(language: Language): void {
  const known = sites.get(language)
  if (known === undefined || Date.now() - known.at >= freshMs) rereadSite(language)
}

/** Reads the settings again, unless a read is already running. */
export function rereadSite(language: Language): void {
  if (loading.has(language)) return
  const ended = loadTwice(language)
    .catch((error: unknown) => logError('the settings of the site were not read', error))
    .finally(() => loading.delete(language))
  loading.set(language, ended)
}

export function useSite(): Site | null {
  const language = useLanguage()
  useEffect(() => refresh(language), [language])
  const known = () => sites.get(language)?.site ?? null
  return useSyncExternalStore(listeners.subscribe, known, known)
}

const noLinks: Site['links'] = { bot: null, support: null, channel: null, enterprise: null }

/** The operator's links; null for those that do not exist. */
export const useContacts = (): Site['links'] => useSite()?.links ?? noLinks

/** The regions whose lines have their own host name; pages offer only these. */
export const useRegions = (): Site['gateway']['regions'] => useSite()?.gateway.regions ?? []

/** The logo with the text beside it; null: the program's mark. */
export function useLogo(): Pick<Site['brand'], 'logo' | 'logo_dark' | 'logo_text'> {
  const { logo, logo_dark, logo_text } = useSite()?.brand ?? {
    logo: null,
    logo_dark: null,
    logo_text: brand.name,
  }
  return { logo, logo_dark, logo_text }
}

/** The note that the counts of addresses are made up, where the inventory is the demo's; else null. */
export function useDemoNote(): string | null {
  const { t } = useTranslation('header')
  return useSite()?.demo_inventory === true ? t('demo') : null
}
