/** Passing bodies on: a request's to its target, and a response's to its client. */

import { BodyFault, type BodyReader } from '../http/body.ts'
import type { Charge } from '../metering/charge.ts'
import type { WriteOutcome, WriteResult } from '../metering/metered.writer.ts'
import type { Activity, SocketReader } from '../sockets/reader.ts'
import type { ResponsePlan } from './plan.ts'
import { ExchangeBroken, type TargetConnection } from './target.connection.ts'

/** The part of a body that was received with its head. */
export interface BodyStart {
  /** Sent with the head, so that most responses are one write. */
  part: Buffer | undefined
  /** Whether the part is the whole body. */
  done: boolean
  /** The fault of a malformed framing, thrown after the head has been sent; null: none. */
  fault: BodyFault | null
}

/** A response whose body was not complete with its head. */
export interface PartialResponse {
  plan: ResponsePlan
  body: BodyReader | null
  start: BodyStart
  /** The write of its head and start. */
  written: WriteOutcome
}

const WITHOUT_BODY: BodyStart = { part: undefined, done: true, fault: null }
const NOTHING_YET: BodyStart = { part: undefined, done: false, fault: null }

/** Accepts the received part of a response's body. `body` null: there is none. `decode` as in `planOf`. */
export function startBody(target: TargetConnection, body: BodyReader | null, decode: boolean): BodyStart {
  if (body === null) return WITHOUT_BODY
  const chunk = decode ? null : target.reader.take()
  if (chunk === null) return NOTHING_YET
  try {
    const { used, done } = body.take(chunk)
    if (used === chunk.length) return { part: chunk, done, fault: null }
    target.reader.unread(chunk.subarray(used))
    return { part: chunk.subarray(0, used), done, fault: null }
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error
    return { part: undefined, done: false, fault: error }
  }
}

export interface Download {
  target: TargetConnection
  body: BodyReader
  decode: boolean
  idleMs: number
  activity: Activity
  /** Writes bytes. Unless they are `stable`, they are valid only until it returns. */
  write: (bytes: Buffer, stable: boolean) => WriteOutcome
  /** Handles the result of a write; throws when the write failed. */
  written: (result: WriteResult) => void
}

/** A write to wait for: it ends the body, or the client's kernel has not accepted all of it yet. */
interface LastWrite {
  outcome: WriteOutcome
  isDone: boolean
}

/** Forwards a received chunk of the body; null: the next one can be read at once. */
function passOn(
  { target, body, decode, write, written }: Download,
  chunk: Buffer,
  stable: boolean,
): LastWrite | null {
  const payload: Buffer[] | undefined = decode ? [] : undefined
  const { used, done } = body.take(chunk, payload)
  if (used < chunk.length)
    target.reader.unread(stable ? chunk.subarray(used) : Buffer.from(chunk.subarray(used)))
  const bytes = payload === undefined ? chunk.subarray(0, used) : Buffer.concat(payload)
  const outcome = bytes.length === 0 ? 'sent' : write(bytes, stable || payload !== undefined)
  if (done || outcome !== 'sent') return { outcome, isDone: done }
  written(outcome)
  return null
}

/**
 * Resolves when all of a response's body is written. Throws BodyFault, ExchangeBroken, and what `written`
 * throws.
 */
export async function downloadBody(download: Download): Promise<void> {
  const { target, body, idleMs, activity, written } = download
  const accept = (chunk: Buffer, stable: boolean) => passOn(download, chunk, stable)
  for (let isDone = false; !isDone;) {
    const last = await target.reader.pass(accept, idleMs, activity)
    if (last === null) {
      if (body.endsAtClose) return
      throw new ExchangeBroken('target_failed')
    }
    written(await last.outcome)
    isDone = last.isDone
  }
}

export interface UploadListener {
  /** The client sent part of the body. */
  uploading(): void
}

export interface Upload {
  reader: SocketReader
  target: TargetConnection
  charge: Charge
  listener: UploadListener
}

/**
 * Passes a request's body on; false when the target stopped accepting it, which may have responded all the
 * same. Throws BodyFault, ExchangeBroken when the client ends it or the balance is exhausted, and the
 * reader's errors.
 */
export async function uploadBody(
  body: BodyReader,
  { reader, target, charge, listener }: Upload,
): Promise<boolean> {
  for (let done = false; !done;) {
    const chunk = await reader.read()
    if (chunk === null) throw new ExchangeBroken('client_failed')
    const taken = body.take(chunk)
    reader.unread(chunk.subarray(taken.used))
    done = taken.done
    listener.uploading()
    const result = await target.writer.write(chunk.subarray(0, taken.used), charge)
    if (result === 'broken') return false
    if (result === 'no_traffic') throw new ExchangeBroken('no_traffic')
  }
  return true
}
