/** The operator's settings of the site: brand, links, rules. Until they have loaded, pages show their own texts. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { call } from './api.ts'
import { brand, setBrand } from './brand.ts'
import { useLanguage, useTranslation } from './i18n.ts'

export type Site = Output<'site'>

/** The texts differ by language, and one visit can need both, so the language is in the key. */
export function siteQuery(language: Language) {
  return queryOptions({
    queryKey: ['site', language] as const,
    queryFn: async ({ signal }): Promise<Site> => {
      const site = await call('site', {}, { signal })
      setBrand(site.brand.name)
      return site
    },
    staleTime: 300_000,
  })
}

export function useSite(): Site | null {
  return useQuery(siteQuery(useLanguage())).data ?? null
}

const noLinks: Site['links'] = { bot: null, support: null, channel: null, enterprise: null }

/** The operator's links; null for those that do not exist. */
export const useContacts = (): Site['links'] => useSite()?.links ?? noLinks

/** The regions whose lines have a host name of their own: others need not be offered. */
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
