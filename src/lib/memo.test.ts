import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecentMap } from './memo.ts'

it('a memo never returns a replaced value, and keeps at least the last half of the used keys', () => {
  const step = fc.record({ key: fc.nat(12), what: fc.constantFrom('get', 'set') })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 12 }), (steps, most) => {
      const recent = new RecentMap<number, number>(most)
      const all = new Map<number, number>()
      let used: number[] = []
      for (const [index, { key, what }] of steps.entries()) {
        if (what === 'set') {
          recent.set(key, index)
          all.set(key, index)
        } else {
          const got = recent.get(key)
          if (got === undefined) {
            // Only keys that were not used for a while may be dropped.
            expect(used.slice(0, Math.max(1, most >> 1)).includes(key) && all.has(key)).toBe(false)
            all.delete(key)
          } else expect(got).toBe(all.get(key))
        }
        used = used.filter((one) => one !== key)
        if (all.has(key)) used.unshift(key)
      }
    }),
  )
})

it('a memo keeps at most its maximum', () => {
  const recent = new RecentMap<number, number>(10)
  for (let key = 0; key < 100; key++) recent.set(key, key)
  const kept = Array.from({ length: 100 }, (_, key) => key).filter((key) => recent.get(key) !== undefined)
  expect(kept.length).toBeLessThanOrEqual(10)
  expect(kept).toEqual(expect.arrayContaining([95, 96, 97, 98, 99]))
})
