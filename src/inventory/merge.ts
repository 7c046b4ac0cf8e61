/** Lists of counted things: adding up the same ones of several sources, and their order. */

export interface Counted {
  count: number
}

/** One item for each key, with the counts added up; of different names the first stays. */
export function sumUp<T extends Counted>(items: T[], keyOf: (item: T) => string | number): T[] {
  const byKey = new Map<string | number, T>()
  for (const item of items) {
    const key = keyOf(item)
    const before = byKey.get(key)
    if (before === undefined) byKey.set(key, item)
    else before.count += item.count
  }
  return byKey.size === items.length ? items : [...byKey.values()]
}

/** Sorts in place: those with the highest counts first, equal ones by their text. */
export function mostFirst<T extends Counted>(items: T[], textOf: (item: T) => string): T[] {
  return items.sort((a, b) => {
    if (a.count !== b.count) return b.count - a.count
    const [one, other] = [textOf(a), textOf(b)]
    return one < other ? -1 : Number(one > other)
  })
}
