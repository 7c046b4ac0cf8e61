import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'

/**
 * A read for a part of a page that may be left out: while it is not known, and when it cannot be read. Every
 * other read shows its failure, so that it does not look like an empty one.
 */
export function useOptionalRead<Answer, Failure, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, Failure, Data, Key>,
): Data | undefined {
  return useQuery(options).data
}

/**
 * The same, with the time at which it was read, for what ends at a time: no clock is asked while a page is
 * rendered.
 */
export function useOptionalReadAt<Answer, Failure, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, Failure, Data, Key>,
): { data: Data | undefined; readAtMs: number } {
  const { data, dataUpdatedAt } = useQuery(options)
  return { data, readAtMs: dataUpdatedAt }
}
