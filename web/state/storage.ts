/**
 * The local storage of the browser. It can be disabled or full (private windows, strict settings); the product then
 * works without remembering, so a read returns null and a failed write is ignored.
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
    // Ignored: see above.
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Ignored: see above.
  }
}
