/** The valid spelling nearest to a misspelt word, for the sentence that refuses it. */

/**
 * Edit distance (Levenshtein) of two short words; the callers bound their length. A package such as fastest-levenshtein is
 * faster with long texts, which do not occur here, and would replace these ten lines only.
 */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/**
 * The candidate closest to `word`, or null when none is close: at most a third of the longer word, rounded up, may
 * differ. `aliases` are spellings of other systems, looked up first. Words over 32 characters resemble nothing,
 * which bounds the work.
 */
export function nearest(
  word: string,
  candidates: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): string | null {
  const lower = word.toLowerCase()
  if (lower.length > 32) return null
  if (Object.hasOwn(aliases, lower)) return aliases[lower] ?? null
  let best: string | null = null
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const longer = Math.max(lower.length, candidate.length)
    if (Math.abs(lower.length - candidate.length) > Math.ceil(longer / 3)) continue
    const away = distance(lower, candidate)
    if (away <= Math.ceil(longer / 3) && away < bestDistance) {
      best = candidate
      bestDistance = away
    }
  }
  return best
}
