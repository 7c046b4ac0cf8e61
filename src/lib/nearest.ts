/** The valid spelling nearest to a misspelt word, for the sentence that refuses it. */

import { distance } from 'fastest-levenshtein'

/**
 * The candidate closest to `word` by Levenshtein distance, or null when none is close: at most a third of the
 * longer word, rounded up, may differ. `aliases` are spellings of other systems, looked up first. Words over
 * 32 characters have no candidate, which bounds the work.
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
