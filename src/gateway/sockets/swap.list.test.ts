import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Member, Roster } from './swap.list.ts'

it('holds exactly those that came and have not gone, whatever their order', () => {
  const step = fc.record({ comes: fc.boolean(), who: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const people: (Member & { name: number })[] = Array.from({ length: 10 }, (_, name) => ({
        name,
        place: -1,
      }))
      const roster = new Roster<Member & { name: number }>()
      const there = new Set<number>()
      for (const { comes, who } of steps) {
        const person = people[who]
        if (person === undefined || (comes && there.has(who))) continue
        if (comes) roster.add(person)
        else roster.remove(person)
        if (comes) there.add(who)
        else there.delete(who)
        expect(roster.size).toBe(there.size)
        expect(new Set(roster.all().map(({ name }) => name))).toEqual(there)
      }
      for (const person of roster.all()) roster.remove(person)
      expect(roster.size).toBe(0)
      expect(people.every(({ place }) => place === -1)).toBe(true)
    }),
  )
})
