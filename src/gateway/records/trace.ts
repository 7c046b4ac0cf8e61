/** What is noted of one request on its way, for the log and for the customer who asks about it later. */

import { performance } from 'node:perf_hooks'
import type { RequestRecord } from '#feed'
import type { RefusalParts } from '../responses/refusal.ts'
import { requestId } from './request.id.ts'

/** Steps of a request, in their order. */
export type Step = 'authenticated' | 'exit_chosen' | 'connected' | 'first_byte'

/** How a session came to its end; payload bytes that were passed on. */
export interface TraceEnd {
  outcome: string
  upBytes: number
  downBytes: number
  /** False: the target failed before it said anything, which costs nothing. */
  isCharged: boolean
}

const LONGEST_SENTENCE = 300

/** Somebody else's words, fit for a log line and for a customer's eyes. */
const printable = (text: string) => text.slice(0, LONGEST_SENTENCE).replace(/[^\x20-\x7e]/g, '?')

const orNull = (ms: number) => (ms < 0 ? null : ms)

/** One request or tunnel, from the moment it is there. */
export class Trace {
  /** The X-Request-Id. */
  readonly id = requestId()
  readonly protocol: RequestRecord['protocol']
  readonly atMs = Date.now()
  /** Whose it is, once that is proven: only then anybody may ask about it. */
  account: bigint | null = null
  pool = ''
  settings: string | null = null
  multiplier = 1
  target: string | null = null
  country: string | null = null
  exit: bigint | null = null
  /** What was answered instead. */
  refusal: Pick<RefusalParts, 'status' | 'code' | 'sentence' | 'exit'> | null = null
  end: TraceEnd | null = null
  /** Set once it is among the records. */
  isKept = false
  readonly #from = performance.now()
  /** When each step was taken, -1 for not. */
  #authenticatedMs = -1
  #exitChosenMs = -1
  #connectedMs = -1
  #firstByteMs = -1
  #endedMs = 0

  constructor(protocol: RequestRecord['protocol']) {
    this.protocol = protocol
  }

  /** Notes that a step was taken now; one that is taken again, over another exit, counts as it was last. */
  took(step: Step, at = performance.now()): void {
    const ms = Math.max(0, Math.round(at - this.#from))
    if (step === 'authenticated') this.#authenticatedMs = ms
    else if (step === 'exit_chosen') this.#exitChosenMs = ms
    else if (step === 'connected') this.#connectedMs = ms
    else this.#firstByteMs = ms
  }

  msOf(step: Step): number | null {
    if (step === 'authenticated') return orNull(this.#authenticatedMs)
    if (step === 'exit_chosen') return orNull(this.#exitChosenMs)
    return orNull(step === 'connected' ? this.#connectedMs : this.#firstByteMs)
  }

  ended(end: TraceEnd): void {
    this.#endedMs = Math.round(performance.now() - this.#from)
    this.end = end
  }

  get durationMs(): number {
    return this.#endedMs
  }

  /** As it is sent to the server; null when nobody could ask about it. */
  record(): RequestRecord | null {
    if (this.account === null) return null
    const { end, refusal, multiplier } = this
    const [up, down] = [BigInt(end?.upBytes ?? 0), BigInt(end?.downBytes ?? 0)]
    const tariff = end?.isCharged === true ? BigInt(multiplier) : 0n
    return {
      id: this.id,
      account: this.account,
      at_ms: this.atMs,
      protocol: this.protocol,
      target: this.target,
      settings: this.settings,
      multiplier,
      country: this.country,
      exit: this.exit,
      authenticated_ms: this.msOf('authenticated'),
      exit_chosen_ms: this.msOf('exit_chosen'),
      connected_ms: this.msOf('connected'),
      first_byte_ms: this.msOf('first_byte'),
      ended_ms: this.#endedMs,
      outcome: end?.outcome ?? 'refused',
      status: refusal?.status ?? null,
      code: refusal?.code ?? null,
      sentence: refusal === null ? null : printable(refusal.sentence),
      exit_status: refusal?.exit?.status ?? null,
      exit_word: refusal?.exit?.word == null ? null : printable(refusal.exit.word),
      up_bytes: up,
      down_bytes: down,
      charged_up_bytes: up * tariff,
      charged_down_bytes: down * tariff,
    }
  }
}
