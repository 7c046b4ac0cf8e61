import type { TextBuffer } from './text.buffer.ts'

/** The lines of one kind of event. */
export interface BulkLines<T> {
  message: string
  /** When it happened, epoch milliseconds. */
  atMs: (event: T) => number
  /** Writes its fields as JSON, each after a comma, without secrets. */
  fields: (line: TextBuffer, event: T) => void
}

/** The part of a pino logger that is used by code without a dependency on pino. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /**
   * For events that occur thousands of times a second: returns the function that logs one of them at level
   * `info`. Their lines are formatted up to a tenth of a second later, many at a time, since code that has
   * left the processor's caches costs several times as much. Their order with other lines is kept. Null:
   * lines of this level are not written. Missing: the log prints objects only.
   */
  infoInBulk?<T>(kind: BulkLines<T>): ((event: T) => void) | null
  /** Whether lines of this level are written; missing: yes. */
  isLevelEnabled?(level: string): boolean
}
