import type { TextBuffer } from './text.buffer.ts'

/** A line of the log that is being written. */
export interface LogLine {
  /** Takes the fields as JSON, each after a comma, without secrets. */
  readonly fields: TextBuffer
  /** The line is complete. Until then nothing else may be logged. */
  end(): void
}

/** The part of a pino logger that is used by code without a dependency on pino. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /**
   * Begins a line of the level `info`, whose fields are written one by one. Null: lines of this level are not written. Missing: the log
   * prints objects only.
   */
  infoLine?(message: string): LogLine | null
  /** Whether lines of this level are written; missing: yes. */
  isLevelEnabled?(level: string): boolean
}
