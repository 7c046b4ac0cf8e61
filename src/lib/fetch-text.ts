/**
 * HTTP requests to servers of other companies: with a time limit and a limit of size, and without redirects.
 */

export interface TextRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string
  timeoutMs: number
  maxBytes: number
}

export interface TextAnswer {
  ok: boolean
  status: number
  headers: Headers
  text: string
}

/**
 * There is no complete answer: the request timed out or failed, was redirected, or the answer was too large.
 */
export class FetchFault extends Error {
  readonly reason: 'late' | 'unconnected' | 'too_large'

  constructor(reason: FetchFault['reason']) {
    super(reason)
    this.name = 'FetchFault'
    this.reason = reason
  }
}

/**
 * Sends a request and reads its answer, whatever its status. Throws `FetchFault`; a redirect is
 * `unconnected`.
 */
export async function fetchText(request: TextRequest): Promise<TextAnswer> {
  const { method, url, headers, body, timeoutMs, maxBytes } = request
  try {
    const answer = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect would send the key to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { ok, status } = answer
    return { ok, status, headers: answer.headers, text: await bounded(answer, maxBytes) }
  } catch (error) {
    if (error instanceof FetchFault) throw error
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw new FetchFault(isLate ? 'late' : 'unconnected')
  }
}

async function bounded(answer: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.byteLength
    if (size > maxBytes) throw new FetchFault('too_large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The value of a JSON text; undefined when it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The beginning of an answer for a message, without control characters. */
export const excerpt = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ').slice(0, 300)
