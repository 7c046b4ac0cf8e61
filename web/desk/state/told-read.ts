/**
 * Reads for a part of a page without a state of its own for failures: the frame reports that they failed, and
 * reads them again on request.
 */
import { type Query, type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { queryClient } from './api.ts'

const told = { isTold: true } as const

/** `useQuery`, whose failure the frame reports. */
export const useToldRead = <Answer, Failure, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, Failure, Data, Key>,
) => useQuery({ ...options, meta: told })

/** A read on the screen that failed and has nothing to show. */
const isFailed = (query: Query) =>
  query.meta?.['isTold'] === true &&
  query.state.status === 'error' &&
  query.state.data === undefined &&
  query.isActive()

const cache = queryClient.getQueryCache()
const subscribe = (changed: () => void) => cache.subscribe(changed)
const countFailed = () => cache.findAll({ predicate: isFailed }).length

/** How many reads on the screen failed, and a function that reads them again. */
export function useFailedReads(): [count: number, retry: () => void] {
  const count = useSyncExternalStore(subscribe, countFailed)
  return [count, () => void queryClient.refetchQueries({ predicate: isFailed })]
}
