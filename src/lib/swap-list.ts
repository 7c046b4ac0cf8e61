/**
 * A list for items that are added and removed thousands of times per second: removing one moves the last item
 * into its position.
 *
 * It replaces Set, which allocates a new table every few dozen changes; each old table refers to the next one
 * and to its items. Once one such table is in the old generation, the garbage collector keeps everything
 * reachable from it, and from every later table, until the next full collection. That was a fifth of the cost
 * of a tunnel.
 */

/** An item stores its position, and is in one list at a time. */
export interface SwapListItem {
  /** Position in the list; -1: in no list. Written by the list only. */
  index: number
}

export class SwapList<T extends SwapListItem> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.index = this.#items.length
    this.#items.push(item)
  }

  /** Does nothing when the item is not in the list. */
  remove(item: T): void {
    const { index } = item
    if (index < 0) return
    item.index = -1
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#items[index] = last
    last.index = index
  }

  get last(): T | undefined {
    return this.#items.at(-1)
  }

  /** A copy, in no particular order: items may be removed while it is iterated. */
  all(): T[] {
    return [...this.#items]
  }
}
