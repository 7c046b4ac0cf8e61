/** A time as the browser's field has it, in the zone of the browser. */
export function localOf(iso: string | null): string {
  if (iso === null) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The time in such a field; null: it is empty. */
export const timeOfLocal = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString()
