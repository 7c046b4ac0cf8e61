/** PostgreSQL's error code, or the operating system's; undefined when the error has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Whether a prepared statement returns other columns than when it was prepared, since a table was altered.
 * Nothing was executed. Every connection that has prepared it fails in this way until it is closed.
 */
export function isPlanOutdated(error: unknown): boolean {
  return errorCode(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'
}

const lost = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '08006',
  '08003',
  '08000',
])

/**
 * Whether the connection broke, or the server is starting or stopping: the query may succeed on a new
 * connection.
 */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return lost.has(code)
  return error instanceof Error && /^Connection terminated|timeout expired|not queryable/.test(error.message)
}
