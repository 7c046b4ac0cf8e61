/** How reads are cached and repeated, for the shop's pages and the desk's. */
import type { QueryClientConfig } from '@tanstack/react-query'
import { CallError } from '#contract/transport'

/** One retry, after network errors and server errors only: the server would refuse the same call again. */
function retry(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof CallError && (error.status === 0 || error.status >= 500)
}

export const queryConfig: QueryClientConfig = {
  defaultOptions: {
    queries: { retry, retryDelay: 400, staleTime: 30_000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
}
