/** The one client of the web: it speaks for the signed-in user in the language on the screen. */
import { type QueryClientConfig, QueryClient, queryOptions } from '@tanstack/react-query'
import { type Client, CallError, createClient } from '#contract/client'
import type { Input, Name, Output } from '#contract/contract'
import { currentLanguage } from './i18n.ts'
import { session } from './session.ts'

let toLogin: () => void = () => undefined

/** The router is made after the client: it says here how to get to /login. */
export function onSignedOut(go: () => void): void {
  toLogin = go
}

/** Any 401, anywhere: the stored user is dropped and the browser goes to /login. */
function onUnauthorized(): void {
  session.clear()
  queryClient.clear()
  toLogin()
}

export const call: Client = createClient({
  token: () => session.get()?.token ?? null,
  language: currentLanguage,
  onUnauthorized,
})

/** A client that speaks for a token which is not a session yet: right after signing in. */
export function callWith(token: string): Client {
  return createClient({ token: () => token, language: currentLanguage, onUnauthorized })
}

/** A read, for `useQuery`; also the key to invalidate it by. */
export function query<N extends Name>(name: N, input: Input<N>) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<Output<N>> => call(name, input, { signal }),
  })
}

/** One more try, and only where it can help: a refusal stays a refusal. */
function retry(failures: number, error: Error): boolean {
  return failures < 1 && error instanceof CallError && (error.status === 0 || error.status >= 500)
}

const config: QueryClientConfig = {
  defaultOptions: {
    queries: { retry, retryDelay: 400, staleTime: 30_000, refetchOnWindowFocus: false },
    mutations: { retry: false },
  },
}

export const queryClient = new QueryClient(config)
