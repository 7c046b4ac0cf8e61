/**
 * The browser's local storage. It may be switched off or full (private windows, strict settings): the product then
 * works on without remembering, so reading answers null and writing is let go.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Nothing to do: see above.
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Nothing to do: see above.
  }
}
