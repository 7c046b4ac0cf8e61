/** The customer's API token. */
import { queryOptions } from '@tanstack/react-query'
import { call } from '../api.ts'
import { view } from '../view.ts'

/** Null after the token was revoked here: it is not read again, because the call would create a new one. */
export const apiTokenQuery = queryOptions({
  queryKey: ['own reseller token'] as const,
  queryFn: (): Promise<string | null> => call('reseller_token', {}),
  // Staff who look at an account are refused.
  enabled: ({ state }) => state.data !== null && view === null,
  // The call creates the first token, so it is not repeated when the network is back.
  refetchOnReconnect: false,
  staleTime: Infinity,
  gcTime: Infinity,
})

/** A token of which only the prefix is visible. */
export function maskedToken(token: string): string {
  return `${token.slice(0, 4)}${'•'.repeat(12)}`
}
