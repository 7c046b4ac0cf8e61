/** The files that a worker's process may open, of which each connection takes some. */
import { readFileSync } from 'node:fs'

/** One to the client and one to the target. */
const PER_CONNECTION = 2
/** For all other files: listening sockets, the journal, questions to name servers. */
const OTHERS = 200

/** Null: the system does not report it. */
function mostFiles(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/**
 * Returns the share of the files that so many connections take, at most 1; 0 where the limit is not known.
 */
export function filesMeter(most: number | null = mostFiles()): (connections: number) => number {
  return (connections) =>
    most === null ? 0 : Math.min(1, (PER_CONNECTION * connections) / Math.max(1, most - OTHERS))
}
