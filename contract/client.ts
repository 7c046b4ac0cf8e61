/** The client of the contract, for the web and for tests: `call(name, input)` over fetch. */
import type { Input, Output } from './contract.ts'
import { type Name, pathOf, wire } from './wire.ts'

/** A refusal as the caller sees it: the server's code and sentence, or `timeout` / `network` made here. */
export class CallError extends Error {
  readonly code: string
  readonly status: number
  readonly details: Record<string, unknown>

  constructor(fault: { code: string; status: number; message: string; details?: Record<string, unknown> }) {
    super(fault.message)
    this.name = 'CallError'
    this.code = fault.code
    this.status = fault.status
    this.details = fault.details ?? {}
  }
}

export interface ClientOptions {
  /** Where the server is; empty for the page's own origin. */
  baseUrl?: string
  token: () => string | null
  language: () => 'ru' | 'en'
  /** Any 401, from any call. */
  onUnauthorized?: () => void
  timeoutMs?: number
  fetch?: typeof fetch
}

export interface CallOptions {
  signal?: AbortSignal
  idempotencyKey?: string
  /** Sees the answer's headers, such as `x-invoice-id`. */
  onHeaders?: (headers: Headers) => void
}

export type Client = <N extends Name>(name: N, input: Input<N>, options?: CallOptions) => Promise<Output<N>>

/** Makes a client. A call fails with `CallError`: the server's refusal, `timeout` after 5 s, or `network`. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return async (name, input, callOptions = {}) => {
    const { url, init } = request(name, input as Record<string, unknown>, options, callOptions)
    const response = await send(url, init).catch((error: unknown) => {
      throw transportFault(error, options.language())
    })
    callOptions.onHeaders?.(response.headers)
    if (!response.ok) {
      const fault = await refusalOf(response)
      if (fault.status === 401) options.onUnauthorized?.()
      throw fault
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
  const fault = body as { code?: unknown; message?: unknown; details?: Record<string, unknown> } | null
  return new CallError({
    code: typeof fault?.code === 'string' ? fault.code : 'unexpected_answer',
    status: response.status,
    message: typeof fault?.message === 'string' ? fault.message : `HTTP ${response.status}`,
    ...(fault?.details === undefined ? {} : { details: fault.details }),
  })
}

function transportFault(error: unknown, language: 'ru' | 'en'): CallError {
  const late = error instanceof DOMException && error.name === 'TimeoutError'
  const sentences = late
    ? {
        ru: 'Сервер не ответил за 5 секунд. Попробуйте ещё раз.',
        en: 'The server did not answer in 5 seconds. Try again.',
      }
    : {
        ru: 'Нет связи с сервером. Проверьте интернет и попробуйте ещё раз.',
        en: 'The server cannot be reached. Check the connection and try again.',
      }
  return new CallError({ code: late ? 'timeout' : 'network', status: 0, message: sentences[language] })
}
