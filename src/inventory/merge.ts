/** Lists of counted items: merging equal items of several sources, and their order. */

export interface CountedItem {
  count: number
}

/** One item per key, with the counts summed; of different names the first is kept. */
export function sumUp<T extends CountedItem>(items: T[], keyOf: (item: T) => string | number): T[] {
  const byKey = new Map<string | number, T>()
  for (const item of items) {
    const key = keyOf(item)
    const before = byKey.get(key)
    if (before === undefined) byKey.set(key, item)
    else before.count += item.count
  }
  return byKey.size === items.length ? items : [...byKey.values()]
}

/** The items with the highest counts first, equal ones by their text. */
export function mostFirst<T extends CountedItem>(items: T[], textOf: (item: T) => string): T[] {
  const byText = (a: T, b: T) => {
    const [one, other] = [textOf(a), textOf(b)]
    return one < other ? -1 : Number(one > other)
  }
  const size = items.length
  let highest = 0
  for (const { count } of items) if (count > highest) highest = count
  // Count and position as one exact number: numbers sort several times as fast as with a comparison callback.
  if (highest * size >= Number.MAX_SAFE_INTEGER)
    return items.toSorted((a, b) => b.count - a.count || byText(a, b))
  const keys = new Float64Array(size)
  for (let index = 0; index < size; index++) keys[index] = (items[index]?.count ?? 0) * size + index
  keys.sort()
  const sorted: T[] = []
  for (let index = size - 1; index >= 0; index--) {
    const item = items[(keys[index] ?? 0) % size]
    if (item !== undefined) sorted.push(item)
  }
  sortEqual(sorted, byText)
  return sorted
}

/** Sorts consecutive items with the same count. */
function sortEqual<T extends CountedItem>(sorted: T[], compare: (a: T, b: T) => number): void {
  for (let from = 0; from < sorted.length;) {
    const count = sorted[from]?.count
    let to = from + 1
    while (to < sorted.length && sorted[to]?.count === count) to++
    if (to - from > 1) {
      const equal = sorted.slice(from, to).sort(compare)
      for (let index = 0; index < equal.length; index++) sorted[from + index] = equal[index] as T
    }
    from = to
  }
}
