import { expect, it } from 'vitest'
import { filtersOf } from './search.ts'

it('the search reads a target with a port as a target, and one without a port as a host', () => {
  expect(filtersOf({ target: 'shop.example:443' }, 'abuse 7')).toEqual({
    target: 'shop.example:443',
    reason: 'abuse 7',
  })
  expect(filtersOf({ target: '[2001:db8::1]:443' }, '')).toEqual({ target: '[2001:db8::1]:443' })
  expect(filtersOf({ target: '2001:db8::1' }, '')).toEqual({ host: '2001:db8::1' })
  expect(filtersOf({ target: 'shop.example' }, '')).toEqual({ host: 'shop.example' })
})

it('the search covers a quarter of an hour around the time unless told otherwise', () => {
  expect(filtersOf({ at: '2026-05-17T10:00:00Z' }, '')).toEqual({
    from: '2026-05-17T09:45:00.000Z',
    until: '2026-05-17T10:15:00.000Z',
  })
  expect(filtersOf({ at: '2026-05-17T10:00:00Z', spread: '60' }, '')).toMatchObject({
    from: '2026-05-17T09:00:00.000Z',
  })
  expect(filtersOf({ at: 'yesterday', spread: '60' }, '')).toEqual({})
})

it('the search omits an invalid number', () => {
  expect(filtersOf({ customer: 'x', exit: '0', ip: '192.0.2.1' }, '')).toEqual({ ip: '192.0.2.1' })
})
