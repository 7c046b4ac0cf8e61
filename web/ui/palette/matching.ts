/** The entries whose title, or further words, contain every typed word. */
export function matching<P extends { title: string; words?: string }>(
  entries: readonly P[],
  typed: string,
): P[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return entries.filter(({ title, words = '' }) => {
    const text = `${title} ${words}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}
