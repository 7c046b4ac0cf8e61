/** Texts that come again and again (a header of every request, an address of every connection) are read once. */

/** Longer ones are not kept. */
const LONGEST_CHARS = 512

/**
 * The same reading, which must be pure, with what it gave kept for up to `most` texts. What it gives is shared: nobody
 * may change it. What it throws is not kept.
 */
export function remembered<T>(most: number, read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text)
    if (value !== undefined) return value
    const fresh = read(text)
    // Starting over is as good as dropping the oldest, and costs nothing while there is room.
    if (known.size >= most) known.clear()
    if (text.length <= LONGEST_CHARS) known.set(text, fresh)
    return fresh
  }
}
