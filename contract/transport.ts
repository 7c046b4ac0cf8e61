/**
 * What the clients of the contracts share: a request over fetch, its answer, and failures as a `CallError`.
 */
import type { Language } from './language.ts'
import { otherAccountCode } from './acting/account.ts'

/**
 * A failed call: the code and sentence of the server's refusal, or `timeout`, `network` or `offline`, set by
 * the client.
 */
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

export interface Sending {
  language: () => Language
  /** Called on every 401. */
  onUnauthorized?: () => void
  /** Called when the page shows another account than the one on which its session acts. */
  onOtherAccount?: () => void
  fetch?: typeof fetch
  timeoutMs?: number
  /** Checked before each request: without a network nothing is sent, neither now nor later. */
  isOffline?: () => Promise<boolean>
}

/** Sends a request and reads its answer; rejects with a `CallError`. */
export async function exchange(
  { url, init }: { url: string; init: RequestInit },
  kind: 'json' | 'text' | 'blob',
  options: Sending & { onHeaders?: ((headers: Headers) => void) | undefined },
): Promise<unknown> {
  const send = options.fetch ?? fetch
  if ((await options.isOffline?.()) === true) throw offlineError(options.language())
  const response = await send(url, init).catch((error: unknown) => {
    throw transportError(error, options.language())
  })
  options.onHeaders?.(response.headers)
  if (!response.ok) {
    const refusal = await refusalOf(response)
    if (refusal.status === 401) options.onUnauthorized?.()
    if (refusal.code === otherAccountCode) options.onOtherAccount?.()
    throw refusal
  }
  return kind === 'text'
    ? await response.text()
    : kind === 'blob'
      ? await response.blob()
      : await response.json()
}

/** Ends when the caller gives up, or after 5 s unless another time is set. */
export function deadline(signal: AbortSignal | undefined, timeoutMs = 5000): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}

/** An address with its query; fields that are undefined or null are left out. */
export function withQuery(path: string, fields: Record<string, unknown>): string {
  const given = Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([key, value]): [string, string] => [key, String(value)])
  const query = new URLSearchParams(given).toString()
  return query === '' ? path : `${path}?${query}`
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

function offlineError(language: Language): CallError {
  const sentences = {
    ru: 'Вы не в сети: ничего не отправлено и ничего не изменено. Повторите, когда связь вернётся.',
    en: 'You are offline: nothing was sent and nothing has changed. Try again when the connection is back.',
  }
  return new CallError({ code: 'offline', status: 0, message: sentences[language] })
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
