import { queryOptions } from '@tanstack/react-query'
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { call } from '../../state/api.ts'

export type Status = Output<'get_status'>
export type ShownIncident = Status['incidents'][number]

/** The state of the pools; the texts of incidents are in the language of the request. */
export const statusQuery = (language: Language) =>
  queryOptions({
    queryKey: ['get_status', language] as const,
    queryFn: ({ signal }): Promise<Status> => call('get_status', {}, { signal }),
    refetchInterval: 60_000,
  })
