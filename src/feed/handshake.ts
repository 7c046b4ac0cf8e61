/**
 * The handshake of a feed between processes that do not trust their connection: the gateway sends a token
 * that the server knows, the server answers, and from then on the stream carries frames. Without a token nothing
 * of the feed is sent.
 */

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** A unix socket of this machine, or TLS to another. */
export type FeedAddress = { path: string } | { host: string; port: number }

/** Incremented when an older and a newer release would not understand each other. */
const VERSION = 1
const NAME = 'turnpike-feed'
export const WELCOME = `${NAME} ${VERSION} welcome`
/** A longer first line does not come from a gateway. */
const LONGEST_LINE_BYTES = 1024
const NEWLINE = 10

export const greeting = (token: string) => `${NAME} ${VERSION} ${token}`

/** The token in a gateway's first line; null: the line has none. */
export function tokenOf(line: string): string | null {
  const begin = greeting('')
  return line.startsWith(begin) ? line.slice(begin.length) : null
}

/**
 * The first line of the stream, which is paused after it; what follows stays in it. Rejects when none is
 * received in time.
 */
export function firstLine(stream: Duplex, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const timer = setTimeout(() => fail(new Error('the other end of the feed said nothing')), patienceMs)
    const done = () => {
      clearTimeout(timer)
      stream.off('data', receive)
      stream.off('error', fail)
      stream.off('close', closed)
      stream.pause()
    }
    const fail = (error: Error) => {
      done()
      reject(error)
    }
    const closed = () =>
      fail(
        new Error(
          'the other end of the feed ended it: is FEED_TOKEN the same on both? A gateway’s own token may have been revoked.',
        ),
      )
    const receive = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      const end = received.indexOf(NEWLINE)
      if (end < 0 && received.length <= LONGEST_LINE_BYTES) return
      if (end < 0 || end > LONGEST_LINE_BYTES)
        return fail(new Error('the other end of the feed does not speak it'))
      done()
      if (end + 1 < received.length) stream.unshift(received.subarray(end + 1))
      resolve(received.toString('utf8', 0, end))
    }
    stream.on('data', receive)
    stream.on('error', fail)
    stream.on('close', closed)
  })
}

const CHECK_MS = 5000
/** Gateways send a heartbeat every 5 s, which is answered. */
const SILENT_MS = 30_000

/**
 * Destroys a socket that has received nothing for half a minute: the other machine may have vanished, which
 * the kernel would notice only after a quarter of an hour.
 */
export function endWhenSilent(socket: Socket): void {
  let lastBytes = socket.bytesRead
  let lastAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (socket.bytesRead !== lastBytes) {
      lastBytes = socket.bytesRead
      lastAt = now
    } else if (now - lastAt >= SILENT_MS) {
      socket.destroy(new Error('the other end of the feed fell silent'))
    }
  }, CHECK_MS)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}
