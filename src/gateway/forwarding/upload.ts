/** Passing a request's body on to its target, as it comes. */

import type { BodyReader } from '../http/body.ts'
import type { Charge } from '../metering/charge.ts'
import type { Inlet } from '../sockets/reader.ts'
import { Broken, type Upstream } from './target.connection.ts'

/** Who hears how far it is. */
export interface Progress {
  /** The client sent some of it. */
  read(): void
  /** The target's connection took so much. */
  passed(bytes: number): void
}

/**
 * Whether the target took all of it. One that reads no further may have answered all the same: its answer is worth
 * waiting for. Throws BodyFault, Broken when the client ends it or nothing more is covered, and what the inlet throws.
 */
export async function uploadBody(
  reader: BodyReader,
  way: { inlet: Inlet; upstream: Upstream; charge: Charge; progress: Progress },
): Promise<boolean> {
  const { inlet, upstream, charge, progress } = way
  for (let done = false; !done;) {
    const chunk = await inlet.read()
    if (chunk === null) throw new Broken('client_failed')
    const taken = reader.take(chunk)
    inlet.unread(chunk.subarray(taken.used))
    done = taken.done
    progress.read()
    const sent = await upstream.sender.send(chunk.subarray(0, taken.used), charge)
    if (sent === 'broken') return false
    if (sent === 'no_traffic') throw new Broken('no_traffic')
    progress.passed(taken.used)
  }
  return true
}
