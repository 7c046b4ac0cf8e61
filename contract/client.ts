/** The API client of the web and the tests: `call(name, input)` over fetch. */
import type { Input, Output } from './contract.ts'
import type { Language } from './language.ts'
import { type Name, pathOf, wire } from './wire.ts'

/** A failed call: the code and sentence of the server's refusal, or `timeout` or `network`, set by the client. */
export class CallError extends Error {
  readonly code: string
  readonly status: number
  readonly details: Record<string, unknown>

  constructor(failure: { code: string; status: number; message: string; details?: Record<string, unknown> }) {
    super(failure.message)
    this.name = 'CallError'
    this.code = failure.code
    this.status = failure.status
    this.details = failure.details ?? {}
  }
}

export interface ClientOptions {
  /** The origin of the server; empty for that of the page. */
  baseUrl?: string
  token: () => string | null
  language: () => Language
  /** Called on every 401. */
  onUnauthorized?: () => void
  timeoutMs?: number
  fetch?: typeof fetch
}

export interface CallOptions {
  signal?: AbortSignal
  idempotencyKey?: string
  /** Called with the headers of the answer, such as `x-invoice-id`. */
  onHeaders?: (headers: Headers) => void
}

export type Client = <N extends Name>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/** Creates a client. Calls reject with a `CallError`: the server's refusal, `timeout` after 5 s, or `network`. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return async (name, input, callOptions = {}) => {
    const { url, init } = request(name, input as Record<string, unknown>, options, callOptions)
    const response = await send(url, init).catch((error: unknown) => {
      throw transportError(error, options.language())
    })
    callOptions.onHeaders?.(response.headers)
    if (!response.ok) {
      const refusal = await refusalOf(response)
      if (refusal.status === 401) options.onUnauthorized?.()
      throw refusal
    }
    const kind = wire[name].answer
    const answer: unknown =
      kind === 'text'
        ? await response.text()
        : kind === 'blob'
          ? await response.blob()
          : await response.json()
    return answer as never
  }
}

function request(name: Name, input: Record<string, unknown>, options: ClientOptions, call: CallOptions) {
  const { provider, ...rest } = input
  const path = pathOf(name, typeof provider === 'string' ? provider : undefined)
  const headers: Record<string, string> = { 'accept-language': options.language() }
  const token = options.token()
  if (token !== null) headers['authorization'] = `Bearer ${token}`
  if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 5000)
  const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout])
  const base = `${options.baseUrl ?? ''}${path}`
  if (wire[name].method === 'GET') {
    const query = new URLSearchParams(
      Object.entries(rest).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString()
    return { url: query === '' ? base : `${base}?${query}`, init: { headers, signal } satisfies RequestInit }
  }
  headers['content-type'] = 'application/json'
  return {
    url: base,
    init: { method: 'POST', headers, signal, body: JSON.stringify(rest) } satisfies RequestInit,
  }
}

async function refusalOf(response: Response): Promise<CallError> {
  const body: unknown = await response.json().catch(() => null)
  const refusal = body as { code?: unknown; message?: unknown; details?: Record<string, unknown> } | null
  return new CallError({
    code: typeof refusal?.code === 'string' ? refusal.code : 'unexpected_answer',
    status: response.status,
    message: typeof refusal?.message === 'string' ? refusal.message : `HTTP ${response.status}`,
    ...(refusal?.details === undefined ? {} : { details: refusal.details }),
  })
}

function transportError(error: unknown, language: Language): CallError {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  const sentences = isTimeout
    ? {
        ru: 'Сервер не ответил за 5 секунд. Попробуйте ещё раз.',
        en: 'The server did not answer within 5 seconds. Try again.',
      }
    : {
        ru: 'Нет связи с сервером. Проверьте интернет и попробуйте ещё раз.',
        en: 'The server cannot be reached. Check your connection and try again.',
      }
  return new CallError({ code: isTimeout ? 'timeout' : 'network', status: 0, message: sentences[language] })
}
