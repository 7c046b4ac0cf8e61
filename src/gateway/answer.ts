/** Passing a target's answer on: its head, and its body as it comes. */

import type { BodyReader, Taken } from './body.ts'
import { Broken, type Upstream } from './upstream.ts'

export interface Answer {
  upstream: Upstream
  /** As the client gets it. */
  head: Buffer
  /** Null: there is no body. */
  reader: BodyReader | null
  /** The client knows no chunks: it gets what is in them. */
  decode: boolean
  idleMs: number
  /** When the last byte went either way. */
  activeAt: () => number
  send: (bytes: Buffer) => Promise<void>
}

/** Resolves when all of it is sent. Throws BodyFault, Broken, and what `send` throws. */
export async function passAnswer(answer: Answer): Promise<void> {
  const { upstream, reader, decode, idleMs, activeAt, send } = answer
  let done = await begin(answer)
  while (!done && reader !== null) {
    const chunk = await upstream.read(idleMs, activeAt)
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

/** Sends the head, together with what is here already of the body: most answers are one write then. */
async function begin({ upstream, head, reader, decode, send }: Answer): Promise<boolean> {
  const chunk = reader === null || decode ? null : upstream.inlet.take()
  if (reader === null || chunk === null) {
    await send(head)
    return reader === null
  }
  let taken: Taken
  try {
    taken = reader.take(chunk)
  } catch (fault) {
    await send(head)
    throw fault
  }
  upstream.inlet.unread(chunk.subarray(taken.used))
  await send(Buffer.concat([head, chunk.subarray(0, taken.used)]))
  return taken.done
}
