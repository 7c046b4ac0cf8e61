/** The reports of an ended session or a refused request: a line in the log, counters, and the record. */

import type { ConnectionLog } from '#feed/connection.record'
import type { Log } from '#lib/log'
import type { Counters } from './records/counters.ts'
import type { Records } from './records/records.ts'
import type { Trace } from './records/trace.ts'
import type { RelayReason } from './relay.ts'
import { ProxyRefusal, type RefusalParts, refusalParts } from './responses/refusal.ts'
import type { Session } from './session.ts'

export interface SessionEnd {
  target: string
  reason: RelayReason | 'refused'
  upBytes: number
  downBytes: number
}

/** The end of a session whose target was not connected to. */
export const NOT_CONNECTED: SessionEnd = { target: '', reason: 'refused', upBytes: 0, downBytes: 0 }

export class SessionReports {
  readonly #counters: Counters
  readonly #records: Pick<Records, 'keep'>
  readonly #log: Log
  readonly #tells: ConnectionLog

  constructor(counters: Counters, records: Pick<Records, 'keep'>, log: Log, tells: ConnectionLog = 'full') {
    this.#counters = counters
    this.#records = records
    this.#log = log
    this.#tells = tells
  }

  /** Counts and records a refusal; returns its parts. */
  refused(parts: RefusalParts, trace: Trace): RefusalParts {
    this.#counters.countRefusal(parts.code)
    trace.refusal = parts
    if (trace.end === null) trace.ended({ outcome: 'refused', upBytes: 0, downBytes: 0, forgivenBytes: 0 })
    this.#records.keep(trace)
    return parts
  }

  /** The refusal for a thrown value: its own parts, or 500 for a bug, which is logged. */
  refusalOf(error: unknown, trace: Trace): RefusalParts {
    if (error instanceof ProxyRefusal) return this.refused(error.parts, trace)
    this.#log.error({ err: error, request_id: trace.id }, 'a request failed on a bug')
    return this.refused(refusalParts(500, 'internal_error', 'this proxy failed'), trace)
  }

  /** Ends a session, once, and logs one line, without credentials and content. */
  ended(session: Session, end: SessionEnd): void {
    const { trace } = session
    if (!session.end()) return
    // A client that left before there was a tunnel was not refused.
    const outcome = end.reason === 'refused' && session.isStopped ? 'cut' : end.reason
    const { upBytes, downBytes } = end
    if (end.target !== '') trace.target = end.target
    const { firstByteAt, forgivenBytes } = session.charge
    if (downBytes > 0 && firstByteAt !== null) trace.took('first_byte', firstByteAt)
    trace.ended({ outcome, upBytes, downBytes, forgivenBytes })
    this.#counters.countEnd(trace)
    this.#records.keep(trace)
    if (this.#log.isLevelEnabled?.('info') === false) return
    const fields = this.#fieldsOf(session, trace, end, outcome)
    if (this.#log.infoJson === undefined) this.#log.info(JSON.parse(`{${fields}}`) as object, 'tunnel ended')
    else this.#log.infoJson(fields, 'tunnel ended')
  }

  /** The fields of the line, as JSON: a template costs a third of what printing an object of twenty fields does. */
  #fieldsOf(session: Session, trace: Trace, { upBytes, downBytes }: SessionEnd, outcome: string): string {
    const { account, multiplier } = session.admitted
    const { owner, subuser, login, pool } = account
    return (
      `"request_id":"${trace.id}","account":${quotedNumber(owner)},"subuser":"${subuser}","login":${quoted(login)},` +
      `"pool":"${pool}","protocol":"${trace.protocol}",${this.#endsOf(trace)}"exit":${quotedNumber(trace.exit)},` +
      `"bytes_up":${upBytes},"bytes_down":${downBytes},"bytes_forgiven":${session.charge.forgivenBytes},"multiplier":${multiplier},` +
      `"connected_ms":${trace.msOf('connected')},"first_byte_ms":${trace.msOf('first_byte')},"duration_ms":${trace.durationMs},` +
      `"reason":"${outcome}"`
    )
  }

  /** The ends of the connection, as far as they may be told. */
  #endsOf(trace: Trace): string {
    if (this.#tells === 'none') return ''
    const { client, toldTarget } = trace
    const target = toldTarget ?? ''
    if (this.#tells === 'host') return `"target":${quoted(target.replace(/:\d{1,5}$/, ''))},`
    return `"client":"${client?.address ?? ''}","client_port":${client?.port ?? null},"target":${quoted(target)},`
  }
}

/** Texts that are the same in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** The text in JSON: most need no escaping, and a test of that is cheaper. */
const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** Numbers beyond 2^53 are texts in the log. */
const quotedNumber = (value: bigint | null) => (value === null ? 'null' : `"${value}"`)
