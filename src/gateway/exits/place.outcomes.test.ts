import { expect, it } from 'vitest'
import { proxyUserId } from '#feed/user.ids'
import { PlaceOutcomes } from './place.outcomes.ts'

const who = { access: 1n, pool: 'residential' }

it('the record of outcomes counts by pool and country, and reports each customer and country once an hour', () => {
  let now = 0
  const places = new PlaceOutcomes(() => now)
  expect(places.take()).toBeNull()
  places.note(who, ['de'], true)
  places.note(who, ['de'], false)
  places.note(who, [], false)
  // A line with several countries is not counted, and neither is a text that is not a country.
  places.note(who, ['de', 'fr'], false)
  places.note(who, ['toolong'], false)
  const first = {
    outcomes: [
      { pool: 'residential', country: 'de', reached: 1, failed: 1 },
      { pool: 'residential', country: '', reached: 0, failed: 1 },
    ],
    used: [
      { access: 1n, country: 'de' },
      { access: 1n, country: '' },
    ],
  }
  const taken = places.take()
  expect(taken).toEqual(first)
  places.note(who, ['de'], true)
  if (taken !== null) places.giveBack(taken)
  expect(places.take()).toEqual({
    outcomes: [{ ...first.outcomes[0], reached: 2 }, first.outcomes[1]],
    used: first.used,
  })
  now += 3_600_000
  places.note(who, ['de'], true)
  expect(places.take()?.used).toEqual([{ access: 1n, country: 'de' }])
})

it('the record of outcomes reports the customer of proxy users, once for all of them', () => {
  const places = new PlaceOutcomes(() => 0)
  for (const access of [proxyUserId(7n, 1n), proxyUserId(7n, 2n, true), 7n])
    places.note({ access, pool: 'residential' }, ['de'], true)
  expect(places.take()?.used).toEqual([{ access: 7n, country: 'de' }])
})
