/** Asks a server once whether it can do its work, for `turnpike doctor`. */

import type { Duplex } from 'node:stream'
import { FeedConnection } from './connection.ts'

/** A server that sends no state within this time is of a release that does not support it. */
const PATIENCE_MS = 2000

/**
 * Requests the fault that the server of an open stream reports; null: none, or no report within `patienceMs`.
 * Ends the stream. Rejects when the stream is closed before.
 */
export function askState(stream: Duplex, patienceMs = PATIENCE_MS): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(null), patienceMs)
    const done = (fault: string | null) => {
      clearTimeout(timer)
      resolve(fault)
      connection.close()
    }
    const connection = new FeedConnection(stream, {
      server: 0,
      pingMs: null,
      onFrame: () => undefined,
      onState: ({ fault }) => done(fault),
      onClosed: (_connection, error) => {
        clearTimeout(timer)
        reject(error ?? new Error('the server closed the connection'))
      },
    })
  })
}
