/** Requests to a seller's API: paced, limited in size and time, and with the responses stored verbatim. */
import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import { excerpt, fetchText, FetchFault, jsonOf, type TextAnswer } from '#lib/fetch-text'

/**
 * Why a seller could not be read. `refused`: the credentials are wrong or lack the permission, so a retry may
 * lock the account; `busy`: too many requests; `unreachable`: no answer, or a failure of the seller's own;
 * `malformed`: an answer that is not understood; `rejected`: any other refusal.
 */
export type SellerFaultKind = 'refused' | 'busy' | 'unreachable' | 'malformed' | 'rejected'

/** The message is for the operator, and contains no credentials. */
export class SellerFault extends Error {
  readonly kind: SellerFaultKind
  /** The earliest time of a retry, as the seller states it; null: it states none. */
  readonly retryAfterMs: number | null

  constructor(
    kind: SellerFaultKind,
    message: string,
    retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'SellerFault'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** A request, relative to the base address of the API. */
export interface SellerQuestion {
  method?: 'GET' | 'POST'
  /** The path; its `{…}` are replaced by credentials, which messages never contain. */
  path: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** The body as JSON, or as a form. */
  json?: unknown
  form?: Readonly<Record<string, string>>
  /** False: the response is not stored, because it belongs to a sign-in. */
  isKept?: boolean
  /** Finds a fault that the seller reports with the status 200. */
  faultOf?: (value: unknown) => SellerFault | null
}

export interface SellerClientOptions {
  base: URL
  credentials: Readonly<Record<string, string>>
  /** The credentials that no message and no kept answer may contain. */
  hidden: readonly string[]
  timeoutMs: number
  /** The least time between two requests. */
  paceMs: number
}

const mostBytes = 32 * 1024 * 1024
const mostKept = 1_000_000

/** Matches the values of credential fields in stored responses. */
const secretField =
  /("(?:[^"\\]|\\.)*(?:password|passwd|proxy_key|auth_key|token|secret|api_?key)(?:[^"\\]|\\.)*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi

export class SellerClient {
  readonly credentials: Readonly<Record<string, string>>
  /** The answers so far, as they came, without passwords. */
  readonly answers: string[] = []
  readonly #options: SellerClientOptions
  #next = 0

  constructor(options: SellerClientOptions) {
    this.#options = options
    this.credentials = options.credentials
  }

  /** Asks, and reads the answer as JSON of the given shape. Throws `SellerFault`. */
  async ask<T>(question: SellerQuestion, shape: z.ZodType<T>): Promise<T> {
    const { method = 'GET', path, isKept = true, faultOf } = question
    const what = `${method} ${path}`
    const answer = await this.#send(question, what)
    if (isKept) this.answers.push(this.#hidden(answer.text))
    if (!answer.ok) throw this.#faultOf(answer, what)
    const value = jsonOf(answer.text)
    const told = value === undefined ? null : (faultOf?.(value) ?? null)
    if (told !== null)
      throw new SellerFault(told.kind, this.#hidden(`${what}: ${told.message}`), told.retryAfterMs)
    const parsed = shape.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    const why = value === undefined ? 'not JSON' : `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
    throw new SellerFault('malformed', this.#hidden(`${what}: an answer that is not understood (${why})`))
  }

  async #send(question: SellerQuestion, what: string): Promise<TextAnswer> {
    const { base, timeoutMs, paceMs } = this.#options
    const waitMs = this.#next - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    this.#next = performance.now() + paceMs
    const { method = 'GET', path, query = {}, headers = {}, json, form } = question
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(this.credentials[key] ?? ''),
    )
    const url = new URL(filled, base.href.endsWith('/') ? base : `${base.href}/`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const body = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form).toString()
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    return fetchText({
      method,
      url,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(typeof body === 'string' ? { body } : {}),
      timeoutMs,
      maxBytes: mostBytes,
    }).catch((error: unknown) => {
      if (!(error instanceof FetchFault)) throw error
      const why = {
        late: `no answer in ${timeoutMs} ms`,
        unconnected: 'no connection',
        too_large: 'too large an answer',
      }
      const kind = error.reason === 'too_large' ? 'malformed' : 'unreachable'
      throw new SellerFault(kind, `${what}: ${why[error.reason]}`)
    })
  }

  #faultOf({ status, headers, text }: TextAnswer, what: string): SellerFault {
    const kind =
      status === 401 || status === 403
        ? 'refused'
        : status === 429
          ? 'busy'
          : status >= 500
            ? 'unreachable'
            : 'rejected'
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    const retryAfterMs = seconds > 0 && seconds <= 86_400 ? seconds * 1000 : null
    return new SellerFault(kind, this.#hidden(`${what}: ${status} ${excerpt(text)}`), retryAfterMs)
  }

  /** Removes our credentials, and the values of credential fields, from a text. */
  #hidden(text: string): string {
    let plain = text.slice(0, mostKept).replaceAll(secretField, '$1"…"')
    for (const value of this.#options.hidden) if (value !== '') plain = plain.replaceAll(value, '…')
    return plain
  }
}
