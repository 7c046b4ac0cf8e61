/**
 * How the feed crosses a stream: one JSON object a line, bigints as {"$n":"123"}. JSON never holds a raw newline, so
 * a line is a whole message however the stream was cut.
 */

import type { Duplex } from 'node:stream'
import type { FeedEvent } from './feed.ts'

export type FeedCall =
  | 'hello'
  | 'account'
  | 'places'
  | 'whitelisted'
  | 'named'
  | 'unknown'
  | 'slot'
  | 'exits'
  | 'permits'
  | 'lease'
  | 'report'
  | 'record'
  | 'heartbeat'

export type Frame =
  | { id: number; call: FeedCall; args: unknown[] }
  | { id: number; ok: unknown }
  /** `refused`: a repetition would fail like this again (`ReportRefused`). */
  | { id: number; fault: string; refused: boolean }
  | { event: FeedEvent }

/** A line longer than this is no frame of ours; a report of 10,000 accounts takes about one megabyte. */
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
    if (typeof item === 'object' && item !== null && '$n' in item && typeof item.$n === 'string')
      return BigInt(item.$n)
    return item
  })
}

/** Hears whole frames from the stream; a stream that sends anything else is destroyed. */
export function readFrames(stream: Duplex, listener: (frame: Frame) => void): void {
  let parts: string[] = []
  let heldChars = 0
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      const whole = parts.length > 0 ? parts.join('') + line : line
      parts = []
      heldChars = 0
      let frame: Frame
      try {
        // Both ends are the same release of this program; the shape is trusted once it is JSON.
        frame = decode(whole) as Frame
        if (typeof frame !== 'object' || frame === null) throw new Error('a frame is an object')
      } catch (fault) {
        stream.destroy(new Error('the feed sent a line that is no JSON', { cause: fault }))
        return
      }
      listener(frame)
    }
    if (last !== '') {
      parts.push(last)
      heldChars += last.length
      if (heldChars > LONGEST_LINE_CHARS) stream.destroy(new Error('the feed sent an endless line'))
    }
  })
  // Whoever read from it before us has paused it.
  stream.resume()
}

/** Sends a frame; gives false when the stream is gone or its peer has stopped reading. */
export function writeFrame(stream: Duplex, frame: Frame): boolean {
  if (stream.destroyed || !stream.writable) return false
  if (stream.writableLength > LONGEST_LINE_CHARS) {
    stream.destroy(new Error('the other end of the feed does not read'))
    return false
  }
  stream.write(`${encode(frame)}\n`)
  return true
}
