/**
 * Failures that are told while a dialog is open. Notifications lie under its backdrop: the topmost dialog
 * shows them too.
 */
type Place = (failure: string | null) => void

const places: Place[] = []

/** Tells a failure in the topmost open dialog; null: it has been overcome. */
export const tellDialog = (failure: string | null): void => places.at(-1)?.(failure)

/** Registers an open dialog, until the returned function is called. */
export function openPlace(place: Place): () => void {
  places.push(place)
  return () => void places.splice(places.indexOf(place), 1)
}
