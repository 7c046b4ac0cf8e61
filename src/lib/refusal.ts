import { type RefusalCode, refusals } from '#contract/refusals'

/**
 * A refusal for the caller: thrown anywhere, converted to the wire once, in `http`. Anything else that is
 * thrown is a bug and stays a 500.
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  /** Facts for the program and for the sentence's placeholders; they are shown to the caller. */
  readonly details: Record<string, unknown>
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: RefusalCode, details: Record<string, unknown> = {}, retryAfterSeconds?: number) {
    super(code)
    this.name = 'Refusal'
    this.code = code
    this.status = refusals[code].status
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}
