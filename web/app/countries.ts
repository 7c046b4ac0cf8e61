import { queryOptions } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import { builtInProvider, type Pool } from '#contract/wire'
import type { Language } from '../ui/format.ts'
import { call } from './api.ts'

export type Countries = Output<'proxy_countries'>

/** A pool's countries with the names they have in a language, which is why the language is part of the key. */
export function countriesQuery(pool: Pool, language: Language) {
  return queryOptions({
    queryKey: ['proxy_countries', pool, language] as const,
    queryFn: ({ signal }): Promise<Countries> =>
      call('proxy_countries', { provider: builtInProvider, pool }, { signal }),
  })
}
