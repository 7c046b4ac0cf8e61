/** The API client of the web and the tests: `call(name, input)` over fetch. */
import type { Input, Output } from './contract.ts'
import { deadline, exchange, type Sending, withQuery } from './transport.ts'
import { accountHeader } from './acting/account.ts'
import { viewHeader } from './view.ts'
import { type Name, pathOf, wire } from './wire.ts'

export { CallError } from './transport.ts'

export interface ClientOptions extends Omit<Sending, 'onUnauthorized'> {
  /** The origin of the server; empty for that of the page. */
  baseUrl?: string
  token: () => string | null
  /** The number of the account that the page shows; null or unset: none yet. */
  account?: () => number | null
  /** The view in which a member of staff sees the shop as a customer; its cookie stands in for a token. */
  view?: () => string | null
  /** Called on every 401 with the token that was refused; null: the call had none. */
  onUnauthorized?: (token: string | null) => void
}

export interface CallOptions {
  signal?: AbortSignal
  idempotencyKey?: string
  /** Called with the headers of the answer, such as `x-invoice-id`. */
  onHeaders?: (headers: Headers) => void
}

export type Client = <N extends Name>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/**
 * Creates a client. Calls reject with a `CallError`: the server's refusal, `timeout` after 5 s, or `network`.
 */
export function createClient(options: ClientOptions): Client {
  return async (name, input, callOptions = {}) => {
    const token = options.token()
    const sent = request(name, input as Record<string, unknown>, { ...options, ...callOptions, token })
    const answer = await exchange(sent, wire[name].answer, {
      ...options,
      onHeaders: callOptions.onHeaders,
      onUnauthorized: () => options.onUnauthorized?.(token),
    })
    return answer as never
  }
}

type Requested = Omit<ClientOptions, 'token'> & CallOptions & { token: string | null }

function request(name: Name, input: Record<string, unknown>, options: Requested) {
  const { token } = options
  const { provider, ...rest } = input
  const path = pathOf(name, typeof provider === 'string' ? provider : undefined)
  const headers: Record<string, string> = { 'accept-language': options.language() }
  const view = options.view?.() ?? null
  const account = options.account?.() ?? null
  if (view !== null) headers[viewHeader] = view
  else if (token !== null) headers['authorization'] = `Bearer ${token}`
  if (view === null && token !== null && account !== null) headers[accountHeader] = String(account)
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey
  const signal = deadline(options.signal, options.timeoutMs)
  const base = `${options.baseUrl ?? ''}${path}`
  if (wire[name].method === 'GET') return { url: withQuery(base, rest), init: { headers, signal } }
  headers['content-type'] = 'application/json'
  return { url: base, init: { method: 'POST', headers, signal, body: JSON.stringify(rest) } }
}
