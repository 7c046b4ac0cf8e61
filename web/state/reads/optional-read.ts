import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'

/**
 * A read for a part of a page that is left out while the data is unknown or cannot be read. Every other read
 * shows its failure, so that it does not look like an empty result.
 */
export function useOptionalRead<Answer, Failure, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, Failure, Data, Key>,
): Data | undefined {
  return useQuery(options).data
}

/** The same, with the time of the read, for data that expires: a render must not read the clock. */
export function useOptionalReadAt<Answer, Failure, Data, Key extends QueryKey>(
  options: UseQueryOptions<Answer, Failure, Data, Key>,
): { data: Data | undefined; readAtMs: number } {
  const { data, dataUpdatedAt } = useQuery(options)
  return { data, readAtMs: dataUpdatedAt }
}
