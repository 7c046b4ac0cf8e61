/**
 * The facts of one request as they become known: for the log, and for the record that its customer may ask
 * for.
 */

import { performance } from 'node:perf_hooks'
import { namesNoTarget } from '#contract/gateway/refusals'
import type { RequestRecord } from '#feed'
import { formatIp, type Ip } from '#lib/ip'
import { type PrintableConnection, withheldHost } from '#feed/connection.record'
import type { RefusalParts } from '../responses/refusal.ts'
import { requestId } from './request.id.ts'

/** Addresses as texts, kept as long as the targets they belong to. */
const texts = new WeakMap<Ip, string>()

function textOf(ip: Ip): string {
  let text = texts.get(ip)
  if (text === undefined) texts.set(ip, (text = formatIp(ip)))
  return text
}

/** Steps of a request, in their order. */
export type Step = 'authenticated' | 'exit_chosen' | 'connected' | 'first_byte'

/** How a session ended, and the payload bytes that were relayed. */
export interface TraceEnd {
  outcome: string
  upBytes: number
  downBytes: number
  /**
   * Relayed payload bytes that cost nothing, because an exit may have failed; all of them went towards the
   * target.
   */
  forgivenBytes: number
}

const LONGEST_SENTENCE = 300

/** The owner of a session or request. */
export interface TraceOwner {
  access: bigint
  owner: bigint | null
  login: string
  withholds_hosts?: true
}

/** The ends of the connection to the target, as far as they are known. */
export interface TraceEnds {
  target: Ip | null
  /** The exit's own address on the connection. */
  sourceAddress: string | null
  sourcePort: number | null
}

/** The client of a request. */
export interface TraceClient {
  pool: string
  address: string
  port: number | null
}

const orNull = (ms: number) => (ms < 0 ? null : ms)

/** One request or tunnel, from its first byte on. */
export class Trace {
  /** The X-Request-Id. */
  readonly id = requestId()
  readonly protocol: RequestRecord['protocol']
  readonly atMs = Date.now()
  /** Set once it is authenticated; without it the record is disclosed to no customer. */
  access: bigint | null = null
  /** The customer's account; null: unknown. */
  account: bigint | null = null
  /** The proxy user's name; empty until it is authenticated. */
  login = ''
  client: TraceClient | null = null
  settings: string | null = null
  multiplier = 1
  target: string | null = null
  /** The customer has chosen that no host leaves this process. */
  withholdsHosts = false
  country: string | null = null
  /** The ends of the connection to the target; null: there was none. */
  ends: TraceEnds | null = null
  exit: bigint | null = null
  /** The gateway's own response, if it was refused or failed. */
  refusal: Pick<RefusalParts, 'status' | 'code' | 'sentence' | 'exit'> | null = null
  end: TraceEnd | null = null
  /** Set once it is in the queue of records. */
  isKept = false
  readonly #from = performance.now()
  /** The time of each step; -1: not taken. */
  #authenticatedMs = -1
  #exitChosenMs = -1
  #connectedMs = -1
  #firstByteMs = -1
  #endedMs = 0

  constructor(protocol: RequestRecord['protocol']) {
    this.protocol = protocol
  }

  /** Records that the request is authenticated. */
  belongsTo({ access, owner, login, withholds_hosts }: TraceOwner): void {
    this.login = login
    this.access = access
    this.account = owner
    this.withholdsHosts = withholds_hosts === true
    this.took('authenticated')
  }

  get pool(): string {
    return this.client?.pool ?? ''
  }

  /** Records the time of a step; for a step repeated over another exit, the last time counts. */
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

  /** The target as it may be disclosed outside this process. */
  get toldTarget(): string | null {
    return this.withholdsHosts ? withheldHost : this.target
  }

  /** The sentence of the refusal as it may be disclosed outside this process. */
  get #told(): { sentence: string | null; word: string | null } {
    const { refusal, withholdsHosts } = this
    if (refusal === null || (withholdsHosts && !namesNoTarget.has(refusal.code)))
      return { sentence: null, word: null }
    return { sentence: refusal.sentence, word: withholdsHosts ? null : (refusal.exit?.word ?? null) }
  }

  /** The record for the server; null when no customer could request it. */
  record(): PrintableConnection | null {
    if (this.access === null) return null
    const { end, refusal, multiplier, ends } = this
    const { sentence, word } = this.#told
    const [up, down, forgiven] = [end?.upBytes ?? 0, end?.downBytes ?? 0, end?.forgivenBytes ?? 0]
    return {
      id: this.id,
      account: this.account,
      access: this.access,
      pool: this.pool,
      client: this.client?.address ?? null,
      client_port: this.client?.port ?? null,
      at_ms: this.atMs,
      protocol: this.protocol,
      target: this.toldTarget,
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
      sentence: sentence?.slice(0, LONGEST_SENTENCE) ?? null,
      exit_status: refusal?.exit?.status ?? null,
      exit_word: word?.slice(0, LONGEST_SENTENCE) ?? null,
      up_bytes: up,
      down_bytes: down,
      charged_up_bytes: (up - forgiven) * multiplier,
      charged_down_bytes: down * multiplier,
      target_address:
        ends === null || ends.target === null || this.withholdsHosts ? null : textOf(ends.target),
      exit_address: ends?.sourceAddress ?? null,
      exit_port: ends?.sourcePort ?? null,
    }
  }
}
