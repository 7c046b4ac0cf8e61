/**
 * The feed as frames on a stream: one JSON object a line, bigints as {"$n":"123"}. JSON contains no raw
 * newline, so a line is a complete message however the stream is cut into chunks.
 */

import type { Duplex } from 'node:stream'
import type { Feed, FeedEvent } from './feed.ts'
import type { FeedVersions } from './version.ts'

export type FeedCall = Exclude<keyof Feed, 'subscribe'>

/** An object, so that the compiler notices a call that is missing. */
const calls: Record<FeedCall, true> = {
  hello: true,
  account: true,
  users: true,
  places: true,
  whitelisted: true,
  prove: true,
  named: true,
  unknown: true,
  slot: true,
  exits: true,
  permits: true,
  lease: true,
  leasesOfUsers: true,
  report: true,
  record: true,
  heartbeat: true,
  present: true,
  sessions: true,
}

export const feedCalls = Object.keys(calls) as FeedCall[]
export const knownCalls: ReadonlySet<string> = new Set(feedCalls)

export type Frame =
  | { id: number; call: FeedCall; args: unknown[] }
  | { id: number; ok: unknown }
  /**
   * `refused`: a repetition would fail in the same way (`ReportRefused`). `away`: this server cannot execute
   * the call at present, another server may.
   */
  | { id: number; fault: string; refused: boolean; away?: boolean }
  | { event: FeedEvent }
  /** The first frame of each end; the server's hello answers the gateway's. */
  | { hello: FeedVersions }
  | { ping: number }
  | { pong: number }
  /**
   * The fault that keeps the server from its work, as a sentence; null: none. Sent after the hello, and at
   * every change.
   */
  | { state: { fault: string | null } }

/** The fields of all frames. A frame with another one is of a later release. */
export const knownFields: ReadonlySet<string> = new Set(
  'id call args ok fault refused away event hello ping pong state'.split(' '),
)

/** A longer line is no frame; a report of 10,000 accounts takes about one megabyte. */
const LONGEST_LINE_CHARS = 32 * 1024 * 1024

/** JSON with bigints. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? { $n: item.toString() } : item,
  )
}

/** The inverse of `encode`. */
export function decode(text: string): unknown {
  return JSON.parse(text, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null) return item
    return '$n' in item && typeof item.$n === 'string' ? BigInt(item.$n) : item
  })
}

/**
 * Passes the stream's frames to the listener; a stream that sends anything else is destroyed. While the
 * listener has paused the stream it gets no further frame, not even of the piece that has arrived already.
 */
export function readFrames(stream: Duplex, listener: (frame: Frame) => void): void {
  let parts: string[] = []
  let partChars = 0
  /** Complete lines that arrived in one piece with the frame at which the stream was paused. */
  let held: string[] = []
  const take = (lines: string[]) => {
    for (const [index, line] of lines.entries()) {
      if (stream.isPaused()) {
        held = lines.slice(index)
        return
      }
      let frame: Frame
      try {
        // The other end is this program, perhaps in another release: the shape of a JSON object is not
        // checked.
        frame = decode(line) as Frame
        if (typeof frame !== 'object' || frame === null) throw new Error('a frame is an object')
      } catch (error) {
        stream.destroy(new Error('the feed sent a line that is no JSON', { cause: error }))
        return
      }
      listener(frame)
    }
  }
  stream.setEncoding('utf8')
  stream.on('resume', () => take(held.splice(0)))
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    const [first] = lines
    if (first !== undefined && parts.length > 0) lines[0] = parts.join('') + first
    if (first !== undefined) {
      parts = []
      partChars = 0
    }
    // A stream that was paused by its own reader may still deliver one piece.
    if (held.length > 0) held.push(...lines)
    else take(lines)
    if (last !== '') {
      parts.push(last)
      partChars += last.length
      if (partChars > LONGEST_LINE_CHARS) stream.destroy(new Error('the feed sent an endless line'))
    }
  })
  // The handshake has paused the stream.
  stream.resume()
}

/** Sends a frame; false when the stream is closed or its peer has stopped reading. */
export function writeFrame(stream: Duplex, frame: Frame): boolean {
  if (stream.destroyed || !stream.writable) return false
  if (stream.writableLength > LONGEST_LINE_CHARS) {
    stream.destroy(new Error('the other end of the feed does not read'))
    return false
  }
  stream.write(`${encode(frame)}\n`)
  return true
}
