import { queryOptions } from '@tanstack/react-query'
import type { Input } from '#contract/contract'
import type { Language } from '#contract/language'
import { call } from '../../state/api.ts'
import { queryClient } from '../../state/reads/queries.ts'

/** The saved methods and settings; the server writes the consent in the language of the request. */
export const topUpsQuery = (language: Language) =>
  queryOptions({
    queryKey: ['get_top_ups', language] as const,
    queryFn: ({ signal }) => call('get_top_ups', {}, { signal }),
    // A paid card is known within a minute.
    refetchInterval: ({ state }) => (state.data?.saving === true ? 5_000 : false),
  })

/** The terms that the customer would agree to, at present prices. */
export const consentQuery = (terms: Input<'top_up_consent'>, language: Language) =>
  queryOptions({
    queryKey: ['top_up_consent', terms, language] as const,
    queryFn: ({ signal }) => call('top_up_consent', terms, { signal }),
    staleTime: 0,
    retry: false,
  })

/** The answer of a change is the new state. */
export function keepTopUps(language: Language, saved: Awaited<ReturnType<typeof changed>>): void {
  queryClient.setQueryData(topUpsQuery(language).queryKey, saved)
}
const changed = (input: Input<'set_top_up'>) => call('set_top_up', input)
