import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

const limitBytes = 8 * 1024 * 1024

/**
 * Keeps the server's log from growing for ever. The server goes on writing to the file it was given, so the file is
 * copied and emptied in place; it was opened for appending, so the next line lands at the start.
 */
export function trimLog(log: string): void {
  if (logSize(log) <= limitBytes) return
  copyFileSync(log, `${log}.1`)
  truncateSync(log)
}

/** The log's length now: a mark to read from later. */
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
