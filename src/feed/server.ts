/** The server's end of the feed: answers the calls of one gateway process, and sends it events. */

import type { Duplex } from 'node:stream'
import { type Feed, ReportRefused } from './feed.ts'
import { type FeedCall, feedCalls, readFrames, writeFrame } from './frames.ts'

const knownCalls: ReadonlySet<string> = new Set(feedCalls)

/** Arguments come from this program's own client. Those of another release may not fit: then that call alone fails. */
async function dispatch(feed: Feed, call: FeedCall, args: unknown[]): Promise<unknown> {
  if (!knownCalls.has(call)) throw new Error('this release knows no such call')
  return await (feed[call] as (...args: unknown[]) => Promise<unknown>).apply(feed, args)
}

/**
 * Serves a feed to one gateway process until the stream closes; the returned function ends it sooner. A call that fails is
 * answered with the error's message, which reaches the gateway's log and no customer.
 */
export function serveFeed(feed: Feed, stream: Duplex): () => void {
  const unsubscribe = feed.subscribe((event) => writeFrame(stream, { event }))
  readFrames(stream, (frame) => {
    if (!('call' in frame)) return
    dispatch(feed, frame.call, frame.args).then(
      (ok) => writeFrame(stream, { id: frame.id, ok: ok ?? null }),
      (error: unknown) =>
        writeFrame(stream, {
          id: frame.id,
          fault: error instanceof Error ? error.message : String(error),
          refused: error instanceof ReportRefused,
        }),
    )
  })
  // A broken stream is the normal end of a gateway process: its journal has what it had not reported.
  stream.on('error', () => stream.destroy())
  stream.on('close', unsubscribe)
  return () => {
    unsubscribe()
    stream.destroy()
  }
}
