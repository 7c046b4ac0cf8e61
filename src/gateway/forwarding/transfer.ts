/** Passing a target's answer on: how, what is here of it at once, and the rest as it comes. */

import { BodyFault, type BodyReader } from '../http/body.ts'
import type { Plan } from './plan.ts'
import type { Outcome } from '../metering/metered.writer.ts'
import type { Activity } from '../sockets/reader.ts'
import { Broken, type Upstream } from './target.connection.ts'

/** What has come of a body behind its head. */
export interface Beginning {
  /** To be sent with the head: most answers are one write then. */
  part: Buffer | undefined
  /** That is the whole body. */
  done: boolean
  /** Its framing is broken; to be thrown when the head has been sent. */
  fault: BodyFault | null
}

/** An answer on its way of which not all was here at once. */
export interface Answering {
  plan: Plan
  reader: BodyReader | null
  beginning: Beginning
  /** How its head and beginning went. */
  sent: Outcome
}

const WITHOUT_BODY: Beginning = { part: undefined, done: true, fault: null }
const NOT_YET: Beginning = { part: undefined, done: false, fault: null }

/** Takes what is here already of a body. `reader` null: there is none. `decode` as in `planOf`. */
export function beginBody(upstream: Upstream, reader: BodyReader | null, decode: boolean): Beginning {
  if (reader === null) return WITHOUT_BODY
  const chunk = decode ? null : upstream.inlet.take()
  if (chunk === null) return NOT_YET
  try {
    const { used, done } = reader.take(chunk)
    if (used === chunk.length) return { part: chunk, done, fault: null }
    upstream.inlet.unread(chunk.subarray(used))
    return { part: chunk.subarray(0, used), done, fault: null }
  } catch (fault) {
    if (!(fault instanceof BodyFault)) throw fault
    return { part: undefined, done: false, fault }
  }
}

export interface Rest {
  upstream: Upstream
  reader: BodyReader
  decode: boolean
  idleMs: number
  activity: Activity
  send: (bytes: Buffer) => Promise<void>
}

/** Resolves when all of a body is sent. Throws BodyFault, Broken, and what `send` throws. */
export async function passBody(rest: Rest): Promise<void> {
  const { upstream, reader, decode, idleMs, activity, send } = rest
  for (let done = false; !done;) {
    const chunk = await upstream.read(idleMs, activity)
    if (chunk === null) {
      if (reader.endsAtClose) return
      throw new Broken('target_failed')
    }
    const payload: Buffer[] | undefined = decode ? [] : undefined
    const taken = reader.take(chunk, payload)
    done = taken.done
    upstream.inlet.unread(chunk.subarray(taken.used))
    for (const part of payload ?? [chunk.subarray(0, taken.used)]) if (part.length > 0) await send(part)
  }
}
