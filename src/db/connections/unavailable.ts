/**
 * The database cannot be used, and the operator can do something about it. The message is a sentence to print
 * as it is, without a stack; it never holds a password. Anything else thrown by this slice is a bug or PostgreSQL's own error.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}
