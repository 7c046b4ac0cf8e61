import { queryOptions } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { builtInProvider, type Pool } from '#contract/wire'
import { call } from '../api.ts'

export type Countries = Output<'proxy_countries'>

/**
 * The countries of a pool. The server names them in the language of the request, so the language is in the
 * key.
 */
export function countriesQuery(pool: Pool, language: Language) {
  return queryOptions({
    queryKey: ['proxy_countries', pool, language] as const,
    queryFn: ({ signal }): Promise<Countries> =>
      call('proxy_countries', { provider: builtInProvider, pool }, { signal }),
  })
}
