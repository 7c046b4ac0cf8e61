/**
 * The database cannot be used, for a reason that the operator can correct. The message is a sentence to be
 * printed without a stack trace; it never contains a password. All other errors of this slice are bugs or
 * PostgreSQL's own errors.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}
