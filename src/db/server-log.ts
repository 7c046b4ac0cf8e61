import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

const limitBytes = 8 * 1024 * 1024

/**
 * Bounds the server's log. The server keeps its log file open, so the file is copied and truncated in place;
 * it was opened for appending, so the next line is written at the start.
 */
export function trimLog(log: string): void {
  if (logSize(log) <= limitBytes) return
  copyFileSync(log, `${log}.1`)
  truncateSync(log)
}

/** The present length of the log, for `logSince`. */
export function logSize(log: string): number {
  return existsSync(log) ? statSync(log).size : 0
}

/** What the server wrote since the mark, at most the last 64 KiB. */
export function logSince(log: string, mark: number): string {
  const end = logSize(log)
  const start = Math.max(mark, end - 65_536, 0)
  if (end <= start) return ''
  const file = openSync(log, 'r')
  try {
    const buffer = Buffer.alloc(end - start)
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start)).toString()
  } finally {
    closeSync(file)
  }
}
