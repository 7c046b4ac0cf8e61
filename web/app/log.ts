/** Faults that the person need not see: they are told to the browser's console and nothing else happens. */
export function logFault(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- the one place of the web that writes there
  console.warn(what, error)
}
