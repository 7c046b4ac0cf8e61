/** The legal pages, and the documents of the sign-up. */
import { queryOptions } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import type { LegalPage } from '#contract/legal'
import { call } from './api.ts'

/** One visit can need both languages, so the language is in the key. */
export const legalPageQuery = (page: LegalPage, language: Language) =>
  queryOptions({
    queryKey: ['legal_page', page, language] as const,
    queryFn: ({ signal }): Promise<Output<'legal_page'>> => call('legal_page', { page }, { signal }),
    staleTime: 300_000,
  })

export type SignUpDocument = Output<'sign_up_documents'>[number]

/** What is agreed to at sign-up, as the shop says it now. */
export const signUpDocumentsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['sign_up_documents', language] as const,
    queryFn: ({ signal }): Promise<SignUpDocument[]> => call('sign_up_documents', {}, { signal }),
  })
