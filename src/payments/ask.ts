/** Requests to processors: with a time limit, without redirects, and with validated answers. */
import type * as z from 'zod'
import { excerpt, fetchText, FetchFault, jsonOf } from '#lib/fetch-text'

/**
 * A processor did not carry out a request. `outcome` is `unknown` when it may still have carried out the
 * request, and `refused` when it answered that it did not. The message is for the operator and contains no
 * secret. `isDenied`: the processor denied access, because the shop's key is wrong or lacks the permission;
 * no customer can fix that. `isOfRequest`: it refused this request alone, and would refuse it again.
 */
export class ProcessorFault extends Error {
  readonly outcome: 'unknown' | 'refused'
  readonly isDenied: boolean
  readonly isOfRequest: boolean
  /** The status of its answer; null: there was none. */
  readonly status: number | null

  constructor(outcome: 'unknown' | 'refused', message: string, status?: number) {
    super(message)
    this.name = 'ProcessorFault'
    this.outcome = outcome
    this.isDenied = outcome === 'refused' && (status === 401 || status === 403)
    this.isOfRequest = outcome === 'refused' && !this.isDenied
    this.status = status ?? null
  }
}

export interface Question {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: unknown
  timeoutMs: number
  /** The maximum size of the response; absent: 4 MB. */
  maxBytes?: number
}

const maxAnswerBytes = 4_000_000

/**
 * Sends a request and parses the answer as JSON of the given shape. Throws `ProcessorFault`: `refused` for a
 * 4xx other than 408, 409 and 429, `unknown` for everything else. With `absent`, a 404 is null.
 */
export async function ask<T>(question: Question, shape: z.ZodType<T>): Promise<T>
export async function ask<T>(question: Question, shape: z.ZodType<T>, absent: 'null'): Promise<T | null>
export async function ask<T>(question: Question, shape: z.ZodType<T>, absent?: 'null'): Promise<T | null> {
  const { method, url, timeoutMs } = question
  const what = `${method} ${url.host}${url.pathname}`
  const answer = await fetchText({
    method,
    url,
    headers: {
      accept: 'application/json',
      ...(question.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...question.headers,
    },
    ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
    timeoutMs,
    maxBytes: question.maxBytes ?? maxAnswerBytes,
  }).catch((error: unknown) => {
    const isLate = error instanceof FetchFault && error.reason === 'late'
    throw new ProcessorFault(
      'unknown',
      `${what}: ${isLate ? `no answer in ${timeoutMs} ms` : 'no connection'}`,
    )
  })
  const { text } = answer
  if (answer.status === 404 && absent === 'null') return null
  if (!answer.ok) {
    const isFinal = answer.status < 500 && ![408, 409, 429].includes(answer.status)
    throw new ProcessorFault(
      isFinal ? 'refused' : 'unknown',
      `${what}: ${answer.status} ${excerpt(text)}`,
      answer.status,
    )
  }
  const parsed = shape.safeParse(jsonOf(text))
  if (!parsed.success) throw new ProcessorFault('unknown', `${what}: an answer that is not understood`)
  return parsed.data
}
