/** Refusals and failures: the gateway's answers when a request is refused or cannot be served. */
import { type ProxyCode, proxyRefusals, socksReplies } from '#contract/gateway/refusals'

export interface RefusalParts {
  status: number
  code: ProxyCode
  sentence: string
  /** The error type of RFC 9209 section 2.3. */
  error: string
  /** The closest reply of RFC 1928. */
  reply: number
  retryAfterSeconds?: number
  /** The connection ends with the response: a further request would get the same one. */
  closes?: true
  /** The exit's answer when the exit failed, for the request's record. */
  exit?: { status: number | null; word: string | null }
}

/** Thrown where a request is refused or cannot be served; each protocol translates it once. */
export class ProxyRefusal extends Error {
  readonly parts: RefusalParts
  constructor(parts: RefusalParts) {
    super(`${parts.code}: ${parts.sentence}`)
    this.parts = parts
  }
}

type Extra = Partial<Omit<RefusalParts, 'code' | 'sentence'>>

/**
 * The parts of a refusal: those of its code in the table, the sentence, and what `extra` adds or replaces.
 */
export function refusalParts(code: ProxyCode, sentence: string, extra: Extra = {}): RefusalParts {
  const { status, error, reply } = proxyRefusals[code]
  return { status, code, sentence, error, reply: socksReplies[reply], ...extra }
}

export function refusal(code: ProxyCode, sentence: string, extra?: Extra): ProxyRefusal {
  return new ProxyRefusal(refusalParts(code, sentence, extra))
}
