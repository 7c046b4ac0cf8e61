/** Reads of the API with a cache. A module of its own: see cache.ts. */
import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { Input, Name, Output } from '#contract/contract'
import { wire } from '#contract/wire'
import { call, callAsAnyone } from '../api.ts'
import { setCache } from '../cache.ts'
import { takeAnswers, takeFirstAnswers } from '../page-data.ts'
import { queryConfig } from './query-config.ts'

/**
 * The options of a read, for `useQuery`; its key also invalidates it. A call that answers visitors and
 * customers differently is made without the token: public pages are rendered with the answer for visitors.
 */
export function query<N extends Name>(name: N, input: Input<N>) {
  const ask = wire[name].who === 'either' ? callAsAnyone : call
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<Output<N>> => ask(name, input, { signal }),
  })
}

/** The same read, with the answer for the signed-in customer. */
export function ownQuery<N extends 'prices' | 'calculate'>(name: N, input: Input<N>) {
  return queryOptions({
    queryKey: [name, input, 'own'] as const,
    queryFn: ({ signal }): Promise<Output<N>> => call(name, input, { signal }),
  })
}

/** Time for the first screen to appear. */
const firstReadsGoodForMs = 2000

export const queryClient = new QueryClient(queryConfig)

setCache({
  clear: () => queryClient.clear(),
  invalidate: (queryKey) => void queryClient.invalidateQueries(queryKey === undefined ? {} : { queryKey }),
  fill: cachePageAnswers,
})

/** Puts the answers with which the server rendered the page into the cache. */
export function cachePageAnswers(): void {
  for (const [key, answer] of takeAnswers()) queryClient.setQueryData(key, answer)
  // Components that always read when they appear do not repeat what the page has just read for them.
  const updatedAt = Date.now() + firstReadsGoodForMs
  for (const [key, answer] of takeFirstAnswers()) queryClient.setQueryData(key, answer, { updatedAt })
}

cachePageAnswers()
