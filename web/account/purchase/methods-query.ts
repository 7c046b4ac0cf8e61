import { queryOptions } from '@tanstack/react-query'
import type { Language } from '#contract/language'
import { call } from '../../state/api.ts'

/** The payment methods; the server writes names and descriptions in the language of the request. */
export const methodsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['payment_systems', {}, language],
    queryFn: ({ signal }) => call('payment_systems', {}, { signal }),
  })
