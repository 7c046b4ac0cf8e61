import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostFirst, sumUp } from './merge.ts'

interface Item {
  name: string
  count: number
}

const items = (max: number) =>
  fc.array(fc.record({ name: fc.string({ maxLength: 3 }), count: fc.integer({ min: 1, max }) }), {
    maxLength: 60,
  })
const text = ({ name }: Item) => name

/** Checks the order of any two neighbours. */
function expectOrder(sorted: Item[]): void {
  for (const [index, item] of sorted.entries()) {
    const before = sorted[index - 1]
    if (before === undefined) continue
    expect(before.count).toBeGreaterThanOrEqual(item.count)
    if (before.count === item.count) expect(before.name <= item.name).toBe(true)
  }
}

describe('a list', () => {
  it.each([
    ['few different counts', 4],
    ['many different counts', 1_000_000],
    ['counts beyond what a place in the list can be put beside', Number.MAX_SAFE_INTEGER],
  ])('is sorted by count, largest first, and then by text: %s', (_what, max) => {
    fc.assert(
      fc.property(items(max), (list) => {
        const sorted = mostFirst(list, text)
        expectOrder(sorted)
        expect(new Set(sorted)).toEqual(new Set(list))
        expect(sorted).toHaveLength(list.length)
      }),
    )
  })

  it('sums the counts of several sources, and keeps the first name', () => {
    const one = { name: 'a', id: 1, count: 2 }
    const other = { name: 'b', id: 1, count: 3 }
    expect(sumUp([one, { name: 'c', id: 2, count: 1 }, other], (item) => item.id)).toEqual([
      { name: 'a', id: 1, count: 5 },
      { name: 'c', id: 2, count: 1 },
    ])
  })
})
