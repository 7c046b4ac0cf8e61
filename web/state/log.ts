/** Logs an error that the visitor need not see. */
export function logError(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- the one place of the web that writes to the console
  console.warn(what, error)
}
