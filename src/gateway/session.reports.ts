/** The reports of an ended session or a refused request: a line in the log, counters, and the record. */

import type { ConnectionLog } from '#feed/connection.record'
import type { Log } from '#lib/log'
import { TextBuffer } from '#lib/text.buffer'
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
  readonly #logEnd: ((trace: Trace) => void) | null

  constructor(counters: Counters, records: Pick<Records, 'keep'>, log: Log, tells: ConnectionLog = 'full') {
    this.#counters = counters
    this.#records = records
    this.#log = log
    this.#logEnd = endLogger(log, tells)
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
    return this.refused(refusalParts('internal_error', 'this proxy failed'), trace)
  }

  /** Ends a session, once, and logs one line, without credentials and content. */
  ended(session: Session, end: SessionEnd): void {
    const { trace } = session
    if (!session.end()) return
    // A client that left before there was a tunnel was not refused.
    const outcome = end.reason === 'refused' && session.stopReason !== null ? session.stopReason : end.reason
    const { upBytes, downBytes } = end
    if (end.target !== '') trace.target = end.target
    const { firstByteAt, forgivenBytes } = session.charge
    if (downBytes > 0 && firstByteAt !== null) trace.took('first_byte', firstByteAt)
    trace.ended({ outcome, upBytes, downBytes, forgivenBytes })
    this.#counters.countEnd(trace)
    this.#records.keep(trace)
    this.#logEnd?.(trace)
  }
}

/** Returns the function that logs the end of a tunnel; null: ends are not logged. */
function endLogger(log: Log, tells: ConnectionLog): ((trace: Trace) => void) | null {
  const fields = (line: TextBuffer, trace: Trace) => writeFields(line, trace, tells)
  const atMs = (trace: Trace) => trace.atMs + trace.durationMs
  if (log.infoInBulk !== undefined) return log.infoInBulk({ message: ENDED, atMs, fields })
  if (log.isLevelEnabled?.('info') === false) return null
  const line = new TextBuffer(1024)
  return (trace) => {
    fields(line, trace)
    log.info(JSON.parse(`{${line.take().slice(1)}}`) as object, ENDED)
  }
}

/** The fields of the line: as bytes they cost a third of what printing an object of twenty fields does. */
function writeFields(line: TextBuffer, trace: Trace, tells: ConnectionLog): void {
  const { upBytes = 0, downBytes = 0, forgivenBytes = 0, outcome = '' } = trace.end ?? {}
  writeText(line, names.request_id, trace.id)
  writeBigint(line, names.account, trace.account)
  writeBigint(line, names.access, trace.access)
  writeText(line, names.login, trace.login)
  writeText(line, names.pool, trace.pool)
  writeText(line, names.protocol, trace.protocol)
  writeEnds(line, trace, tells)
  writeBigint(line, names.exit, trace.exit)
  writeNumber(line, names.bytes_up, upBytes)
  writeNumber(line, names.bytes_down, downBytes)
  writeNumber(line, names.bytes_forgiven, forgivenBytes)
  writeNumber(line, names.multiplier, trace.multiplier)
  writeNumber(line, names.connected_ms, trace.msOf('connected'))
  writeNumber(line, names.first_byte_ms, trace.msOf('first_byte'))
  writeNumber(line, names.duration_ms, trace.durationMs)
  writeText(line, names.reason, outcome)
}

/** The ends of the connection, as far as `tells` allows. */
function writeEnds(line: TextBuffer, { client, toldTarget }: Trace, tells: ConnectionLog): void {
  if (tells === 'none') return
  const target = toldTarget ?? ''
  if (tells === 'full') {
    writeText(line, names.client, client?.address ?? '')
    writeNumber(line, names.client_port, client?.port ?? null)
  }
  writeText(line, names.target, tells === 'host' ? target.replace(/:\d{1,5}$/, '') : target)
}

const ENDED = 'tunnel ended'
const named = (name: string) => Buffer.from(`,"${name}":`)
/** The names of fields in JSON, each after a comma. */
const names = {
  request_id: named('request_id'),
  account: named('account'),
  access: named('access'),
  login: named('login'),
  pool: named('pool'),
  protocol: named('protocol'),
  client: named('client'),
  client_port: named('client_port'),
  target: named('target'),
  exit: named('exit'),
  bytes_up: named('bytes_up'),
  bytes_down: named('bytes_down'),
  bytes_forgiven: named('bytes_forgiven'),
  multiplier: named('multiplier'),
  connected_ms: named('connected_ms'),
  first_byte_ms: named('first_byte_ms'),
  duration_ms: named('duration_ms'),
  reason: named('reason'),
}
/** Texts that need no escape in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function writeText(line: TextBuffer, name: Buffer, text: string): void {
  line.bytes(name)
  if (!PLAIN.test(text)) {
    line.text(JSON.stringify(text))
    return
  }
  line.ascii('"')
  line.ascii(text)
  line.ascii('"')
}

function writeNumber(line: TextBuffer, name: Buffer, value: number | null): void {
  line.bytes(name)
  if (value === null) line.ascii('null')
  else line.number(value)
}

/** Numbers beyond 2^53 are texts in the log. */
function writeBigint(line: TextBuffer, name: Buffer, value: bigint | null): void {
  if (value === null) writeNumber(line, name, null)
  else writeText(line, name, value.toString())
}
