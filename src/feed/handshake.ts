/**
 * How two machines begin a feed: the gateway says a secret that both know, the server says welcome, and from then on
 * the stream is the feed's. Nothing of the feed is spoken to somebody who does not know the secret.
 */

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { sameBytes, sha256 } from '#lib/secret'

/** A unix socket of this machine, or TLS to another. */
export type FeedAddress = { path: string } | { host: string; port: number }

/** Grows when the two ends of an older and a newer release would misunderstand each other. */
const VERSION = 1
const WORD = 'turnpike-feed'
export const WELCOME = `${WORD} ${VERSION} welcome`
/** Who does not say something this short is no gateway. */
const LONGEST_LINE_BYTES = 1024
const NEWLINE = 10

export const greeting = (token: string) => `${WORD} ${VERSION} ${token}`

/** Whether the line says our token, in the same time for every wrong one. */
export function isGreeting(line: string, token: string): boolean {
  return sameBytes(sha256(line), sha256(greeting(token)))
}

/** The first line of the stream, which is paused after it; what follows stays in it. Rejects when there is none in time. */
export function firstLine(stream: Duplex, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let held: Buffer = Buffer.alloc(0)
    const timer = setTimeout(() => fail(new Error('the other end of the feed said nothing')), patienceMs)
    const done = () => {
      clearTimeout(timer)
      stream.off('data', hear)
      stream.off('error', fail)
      stream.off('close', closed)
      stream.pause()
    }
    const fail = (fault: Error) => {
      done()
      reject(fault)
    }
    const closed = () =>
      fail(new Error('the other end of the feed ended it: is FEED_TOKEN the same on both?'))
    const hear = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes])
      const end = held.indexOf(NEWLINE)
      if (end < 0 && held.length <= LONGEST_LINE_BYTES) return
      if (end < 0 || end > LONGEST_LINE_BYTES)
        return fail(new Error('the other end of the feed does not speak it'))
      done()
      if (end + 1 < held.length) stream.unshift(held.subarray(end + 1))
      resolve(held.toString('utf8', 0, end))
    }
    stream.on('data', hear)
    stream.on('error', fail)
    stream.on('close', closed)
  })
}

const LOOK_MS = 5000
/** Gateways give a sign of life every 5 s, which is answered. */
const SILENT_MS = 30_000

/**
 * Destroys a socket that has heard nothing for half a minute: the machine at its other end may be gone without a word,
 * which the kernel would find out in a quarter of an hour.
 */
export function endWhenSilent(socket: Socket): void {
  let heardBytes = socket.bytesRead
  let heardAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (socket.bytesRead !== heardBytes) {
      heardBytes = socket.bytesRead
      heardAt = now
    } else if (now - heardAt >= SILENT_MS) {
      socket.destroy(new Error('the other end of the feed fell silent'))
    }
  }, LOOK_MS)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}
