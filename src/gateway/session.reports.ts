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
    this.#logEnd?.(trace)
  }
}

/** Returns what logs a tunnel's end; null: it is not logged. */
function endLogger(log: Log, tells: ConnectionLog): ((trace: Trace) => void) | null {
  const fields = (line: TextBuffer, trace: Trace) => writeFields(line, trace, tells)
  const atMs = (trace: Trace) => trace.atMs + trace.durationMs
  if (log.infoInBulk !== undefined) return log.infoInBulk({ message: ENDED, atMs, fields })
  const line = new TextBuffer(1024)
  return (trace) => {
    fields(line, trace)
    log.info(JSON.parse(`{${line.take().slice(1)}}`) as object, ENDED)
  }
}

/** The fields of the line: as bytes they cost a third of what printing an object of twenty fields does. */
function writeFields(line: TextBuffer, trace: Trace, tells: ConnectionLog): void {
  const { upBytes = 0, downBytes = 0, forgivenBytes = 0, outcome = '' } = trace.end ?? {}
  line.bytes(names.request_id)
  quote(line, trace.id)
  line.bytes(names.account)
  writeBigint(line, trace.account)
  line.bytes(names.subuser)
  writeBigint(line, trace.subuser)
  line.bytes(names.login)
  quote(line, trace.login)
  line.bytes(names.pool)
  quote(line, trace.pool)
  line.bytes(names.protocol)
  quote(line, trace.protocol)
  writeEnds(line, trace, tells)
  line.bytes(names.exit)
  writeBigint(line, trace.exit)
  line.bytes(names.bytes_up)
  line.number(upBytes)
  line.bytes(names.bytes_down)
  line.number(downBytes)
  line.bytes(names.bytes_forgiven)
  line.number(forgivenBytes)
  line.bytes(names.multiplier)
  line.number(trace.multiplier)
  line.bytes(names.connected_ms)
  writeNumber(line, trace.msOf('connected'))
  line.bytes(names.first_byte_ms)
  writeNumber(line, trace.msOf('first_byte'))
  line.bytes(names.duration_ms)
  line.number(trace.durationMs)
  line.bytes(names.reason)
  quote(line, outcome)
}

/** The ends of the connection, as far as they may be told. */
function writeEnds(line: TextBuffer, { client, toldTarget }: Trace, tells: ConnectionLog): void {
  if (tells === 'none') return
  const target = toldTarget ?? ''
  if (tells === 'full') {
    line.bytes(names.client)
    quote(line, client?.address ?? '')
    line.bytes(names.client_port)
    writeNumber(line, client?.port ?? null)
  }
  line.bytes(names.target)
  quote(line, tells === 'host' ? target.replace(/:\d{1,5}$/, '') : target)
}

const ENDED = 'tunnel ended'
const named = (name: string) => Buffer.from(`,"${name}":`)
/** The names of fields, each after a comma. */
const names = {
  request_id: named('request_id'),
  account: named('account'),
  subuser: named('subuser'),
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
/** Texts that are the same in JSON. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function quote(line: TextBuffer, text: string): void {
  if (!PLAIN.test(text)) {
    line.text(JSON.stringify(text))
    return
  }
  line.ascii('"')
  line.ascii(text)
  line.ascii('"')
}

function writeNumber(line: TextBuffer, value: number | null): void {
  if (value === null) line.ascii('null')
  else line.number(value)
}

/** Numbers beyond 2^53 are texts in the log. */
function writeBigint(line: TextBuffer, value: bigint | null): void {
  if (value === null) line.ascii('null')
  else quote(line, value.toString())
}
