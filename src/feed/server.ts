/** The server's end of the feed: answers the calls of one gateway process, and sends it events. */

import type { Duplex } from 'node:stream'
import { type Feed, ReportRefused } from './feed.ts'
import { type FeedCall, type Frame, knownCalls, readFrames, writeFrame } from './frames.ts'
import { checkSpeaker } from './speaker.ts'
import { unknownTeller } from './unknown.ts'
import { ourVersions, sharedVersion } from './version.ts'

/** Whether the server can do its work. It is reported to gateways, which use another server meanwhile. */
export interface FeedState {
  /** The fault, as a sentence for the operator of a gateway; null: none. */
  readonly fault: string | null
  /** Calls the listener when `fault` has changed, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

export interface ServeOptions {
  /** Default: it can always do its work. */
  state?: FeedState
  /** Whether a call failed only because this server cannot do it at present. Default: none did. */
  isAway?: (error: unknown) => boolean
  /** Called with a description of data from a later release that is ignored, once for each kind. */
  onUnknown?: (what: string) => void
  /** Whether this peer may speak for the worker or gateway of this name. Default: for every one. */
  mayBe?: (name: string) => boolean
  /** Called once when the peer has spoken for another gateway. */
  onForeign?: (fault: Error) => void
}

/**
 * Calls of one gateway that are answered at a time; further calls wait in its socket and in its memory. A
 * correct gateway has at most 256 reports under way, and one question for each new customer.
 */
export const mostCallsAtOnce = 2000

/**
 * Arguments come from this program's own client. Those of another release may not fit: then that call alone
 * fails.
 */
async function dispatch(feed: Feed, call: FeedCall, args: unknown[]): Promise<unknown> {
  if (!knownCalls.has(call)) throw new Error('this release knows no such call')
  return await (feed[call] as (...args: unknown[]) => Promise<unknown>).apply(feed, args)
}

/**
 * Serves a feed to one gateway process until the stream closes; the returned function ends it sooner. A call
 * that fails is answered with the error's message, which reaches the gateway's log and no customer.
 */
export function serveFeed(feed: Feed, stream: Duplex, options: ServeOptions = {}): () => void {
  const { state = null, isAway = () => false } = options
  const tellUnknown = unknownTeller(options.onUnknown)
  let isForeign = false
  const judge = (frame: Extract<Frame, { call: FeedCall }>) => {
    if (options.mayBe === undefined || !knownCalls.has(frame.call)) return
    try {
      checkSpeaker(options.mayBe, frame)
    } catch (error) {
      if (!isForeign) options.onForeign?.(error as Error)
      isForeign = true
      throw error
    }
  }
  const unsubscribe = [feed.subscribe((event) => writeFrame(stream, { event }))]
  const greeted = (frame: Extract<Frame, { hello: unknown }>) => {
    writeFrame(stream, { hello: ourVersions })
    if (sharedVersion(ourVersions, frame.hello) === null) {
      // The gateway detects the same, and logs it.
      stream.end(() => stream.destroy())
    } else {
      const tell = () => void writeFrame(stream, { state: { fault: state?.fault ?? null } })
      tell()
      if (state !== null) unsubscribe.push(state.subscribe(tell))
    }
  }
  let calls = 0
  readFrames(stream, (frame) => {
    tellUnknown(frame)
    if ('hello' in frame) greeted(frame)
    else if ('ping' in frame) writeFrame(stream, { pong: frame.ping })
    if (!('call' in frame)) return
    calls++
    if (calls >= mostCallsAtOnce) stream.pause()
    void answer(frame)
  })
  const ended = () => {
    calls--
    if (calls < mostCallsAtOnce && stream.isPaused()) stream.resume()
  }
  const answer = (frame: Extract<Frame, { call: FeedCall }>) =>
    new Promise<unknown>((resolve) => {
      judge(frame)
      resolve(dispatch(feed, frame.call, frame.args))
    })
      .then(
        (ok) => writeFrame(stream, { id: frame.id, ok: ok ?? null }),
        (error: unknown) =>
          writeFrame(stream, {
            id: frame.id,
            fault: error instanceof Error ? error.message : String(error),
            refused: error instanceof ReportRefused,
            ...(isAway(error) ? { away: true } : {}),
          }),
      )
      .finally(ended)
  const end = () => {
    for (const stop of unsubscribe.splice(0)) stop()
  }
  // A broken stream is the normal end of a gateway process: its journal has the reports that were not sent.
  stream.on('error', () => stream.destroy())
  stream.on('close', end)
  return () => {
    end()
    stream.destroy()
  }
}
