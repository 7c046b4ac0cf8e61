/**
 * Failures while a dialog is open. Its backdrop covers the notifications, so the topmost dialog shows the
 * failure too.
 */
type Place = (failure: string | null) => void

const places: Place[] = []

/** Shows a failure in the topmost open dialog; null: removes it. */
export const tellDialog = (failure: string | null): void => places.at(-1)?.(failure)

/** Registers an open dialog, until the returned function is called. */
export function openPlace(place: Place): () => void {
  places.push(place)
  return () => void places.splice(places.indexOf(place), 1)
}
