import { errorCode, isConnectionLost } from './errors.ts'

/**
 * Connection errors (08, and those of the operating system), insufficient resources (53), read-only during a
 * failover, rollbacks (40).
 */
const codes =
  /^(08|40|53|57P0)|^(25006|58030|ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EPIPE|ETIMEDOUT)$/

/**
 * Whether an error of a query means that the database is temporarily unavailable, rather than that the query
 * is wrong: the connection broke, or the server is starting, stopping, out of resources or unreachable. The
 * query may succeed later. A write that failed in this way may have been executed nevertheless.
 */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return codes.test(code)
  if (isConnectionLost(error)) return true
  // The pool's error for a server that does not answer has no code.
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
}
