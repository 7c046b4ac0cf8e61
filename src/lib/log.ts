/** The part of a pino logger that is used by code without a dependency on pino. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /**
   * Writes a line of the level `info` whose fields are JSON already, without the braces around them and without secrets.
   * Missing: the log prints objects only.
   */
  infoJson?(fields: string, message: string): void
  /** Whether lines of this level are written; missing: yes. */
  isLevelEnabled?(level: string): boolean
}
