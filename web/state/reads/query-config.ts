/** How reads are cached and repeated, for the shop's pages and the desk's. */
import type { QueryClientConfig } from '@tanstack/react-query'
import { CallError } from '#contract/transport'

/**
 * Retries once, after network errors and server errors only: the server would refuse the same call again.
 * Without a network, a read is repeated when the network is back.
 */
function retry(failures: number, error: Error): boolean {
  if (failures >= 1 || !(error instanceof CallError) || error.code === 'offline') return false
  return error.status === 0 || error.status >= 500
}

/**
 * Nothing waits for the network: by default a call that is made offline would be sent when the network is
 * back, even when the page that made it has been left. Calls fail at once instead, and reads that have failed
 * are repeated when the network is back.
 */
const networkMode = 'always'

export const queryConfig: QueryClientConfig = {
  defaultOptions: {
    queries: {
      networkMode,
      retry,
      retryDelay: 400,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: ({ state }) => (state.status === 'error' ? 'always' : true),
    },
    mutations: { networkMode, retry: false },
  },
}
