/** What the operator says to the public. Until it is there, or when it cannot be had, pages say their own words. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '../ui/format.ts'
import { call } from './api.ts'
import { brand, setBrand } from './brand.ts'
import { useLanguage } from './language.ts'

export type Site = Output<'site'>

/** Keyed by language: the words differ, and both may be wanted within one visit. */
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

const unknownLinks: Site['links'] = { bot: null, support: null, channel: null, enterprise: null }

/** Where people find the operator's staff; null where the operator is not. */
export const useContacts = (): Site['links'] => useSite()?.links ?? unknownLinks

/** What stands beside the mark. */
export const useLogoText = (): string => useSite()?.brand.logo_text ?? brand.name
