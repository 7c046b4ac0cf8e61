import { errorCode, isConnectionLost } from './errors.ts'

/** No way to it (08, and the system's own), no room on it (53), read only while another takes over, gave up (40). */
const codes =
  /^(08|40|53|57P0)|^(25006|58030|ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EPIPE|ETIMEDOUT)$/

/**
 * Whether an error of a query says that the database cannot do it now, rather than that it was asked for nonsense: the
 * connection broke, the server starts or stops, has no room, or is not there. Asked again later it may do it. A write
 * that failed so may have been done all the same.
 */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return codes.test(code)
  if (isConnectionLost(error)) return true
  // The pool's own words for a server that does not answer.
  return error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
}
