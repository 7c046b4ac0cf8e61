/** Replaces pools that are not on sale in the samples of the API's documentation. */
import { type Pool, pools } from '#contract/wire'

const isPool = (text: string): text is Pool => (pools as readonly string[]).includes(text)

/** `"pool": "mobile"`, `pool=mobile`, `'to_pool': 'mobile'`. */
const named = new RegExp(String.raw`(\b(?:to_)?pool["']?\s*[:=]\s*["']?)(${pools.join('|')})\b`, 'g')

/** The program with the first pool on sale in place of each pool that is not on sale. */
export const sampleWith = (sold: readonly Pool[], source: string): string =>
  source.replaceAll(named, (whole, before: string, pool: Pool) =>
    sold.includes(pool) ? whole : before + (sold[0] ?? pool),
  )

/**
 * The example answer without pools that are not on sale: maps by pool and lists lose their entries, and
 * elsewhere the first pool on sale replaces them. An account keeps all four pools, as the API promises.
 */
export function exampleWith(sold: readonly Pool[], example: unknown): unknown {
  if (sold.length === 0) return example
  if (typeof example === 'string') return isPool(example) && !sold.includes(example) ? sold[0] : example
  if (Array.isArray(example)) {
    const kept = example.filter((one: unknown) => !isOther(sold, one))
    return (kept.length === 0 ? example : kept).map((one: unknown) => exampleWith(sold, one))
  }
  if (typeof example !== 'object' || example === null) return example
  const entries = Object.entries(example)
  const isByPool = entries.length > 0 && entries.every(([key]) => isPool(key))
  const known = entries.filter(([key]) => !isByPool || (sold as readonly string[]).includes(key))
  return Object.fromEntries(known.map(([key, value]) => [key, exampleWith(sold, value)]))
}

/** Whether an entry of a list belongs to a pool that is not on sale. */
function isOther(sold: readonly Pool[], one: unknown): boolean {
  if (typeof one === 'string') return isPool(one) && !sold.includes(one)
  const pool = typeof one === 'object' && one !== null && 'pool' in one ? one.pool : null
  return typeof pool === 'string' && isPool(pool) && !sold.includes(pool)
}
