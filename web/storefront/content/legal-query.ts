import { queryOptions } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import type { LegalPage } from '#contract/legal/pages'
import { call } from '../../state/api.ts'

/** One visit can need both languages, so the language is in the key. */
export const legalPageQuery = (page: LegalPage, language: Language) =>
  queryOptions({
    queryKey: ['legal_page', page, language] as const,
    queryFn: ({ signal }): Promise<Output<'legal_page'>> => call('legal_page', { page }, { signal }),
    staleTime: 300_000,
  })
