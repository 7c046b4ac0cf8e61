import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SwapList, type SwapListItem } from './swap-list.ts'

it('a swap list contains exactly the items added and not removed, for any order of operations', () => {
  const step = fc.record({ comes: fc.boolean(), who: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const people: (SwapListItem & { name: number })[] = Array.from({ length: 10 }, (_, name) => ({
        name,
        index: -1,
      }))
      const list = new SwapList<SwapListItem & { name: number }>()
      const there = new Set<number>()
      for (const { comes, who } of steps) {
        const person = people[who]
        if (person === undefined || (comes && there.has(who))) continue
        if (comes) list.add(person)
        else list.remove(person)
        if (comes) there.add(who)
        else there.delete(who)
        expect(list.size).toBe(there.size)
        expect(new Set(list.all().map(({ name }) => name))).toEqual(there)
      }
      for (const person of list.all()) list.remove(person)
      expect(list.size).toBe(0)
      expect(people.every(({ index }) => index === -1)).toBe(true)
    }),
  )
})
