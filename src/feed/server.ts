/** The server's end of the feed: answers the calls of one gateway process from any Feed, and pushes its events. */

import type { Duplex } from 'node:stream'
import {
  type Feed,
  type FeedNamed,
  type FeedTargeting,
  type LeaseRequest,
  type RecordBatch,
  type Report,
  ReportRefused,
} from './feed.ts'
import { readFrames, writeFrame, type FeedCall } from './frames.ts'

type Gateway = { gateway: string; boot: string }

/**
 * The frames come from our own client, so the arguments have the shapes of the interface. Where it is of another
 * release they may not: that call fails, and nothing else does.
 */
async function dispatch(feed: Feed, call: FeedCall, args: unknown[]): Promise<unknown> {
  switch (call) {
    case 'hello':
      return feed.hello(args[0] as Gateway)
    case 'account':
      return feed.account(args[0] as { login: string; pool: string })
    case 'places':
      return feed.places(args[0] as { login: string; set: string })
    case 'whitelisted':
      return feed.whitelisted(args[0] as { pool: string; address: string })
    case 'named':
      return feed.named(args[0] as FeedNamed)
    case 'unknown':
      return feed.unknown(args[0] as FeedTargeting)
    case 'slot':
      return feed.slot(args[0] as { account: bigint; slot: number })
    case 'exits':
      return feed.exits()
    case 'permits':
      return feed.permits(args[0] as Gateway, args[1] as { account: bigint; want: number })
    case 'lease':
      return feed.lease(args[0] as Gateway, args[1] as LeaseRequest)
    case 'report':
      return feed.report(args[0] as Report)
    case 'record':
      return feed.record(args[0] as RecordBatch)
    case 'heartbeat':
      return feed.heartbeat(args[0] as Gateway)
    default:
      throw new Error('this release knows no such call')
  }
}

/**
 * Serves a feed to one gateway process until the stream closes; the returned function ends it sooner.
 * A call that fails is answered with the fault's message, which reaches the gateway's log and no customer.
 */
export function serveFeed(feed: Feed, stream: Duplex): () => void {
  const unsubscribe = feed.subscribe((event) => writeFrame(stream, { event }))
  readFrames(stream, (frame) => {
    if (!('call' in frame)) return
    dispatch(feed, frame.call, frame.args).then(
      (ok) => writeFrame(stream, { id: frame.id, ok: ok ?? null }),
      (fault: unknown) =>
        writeFrame(stream, {
          id: frame.id,
          fault: fault instanceof Error ? fault.message : String(fault),
          refused: fault instanceof ReportRefused,
        }),
    )
  })
  // A broken stream is the normal end of a gateway process; what it had not reported lies in its journal.
  stream.on('error', () => stream.destroy())
  stream.on('close', unsubscribe)
  return () => {
    unsubscribe()
    stream.destroy()
  }
}
