// @vitest-environment node
import { describe, expect, it } from 'vitest'
import type { ListedRequest } from '#contract/requests/schemas'
import { filtersIn, fits, inputOf, merged } from './filters.ts'

const request = (rest: Partial<ListedRequest> = {}): ListedRequest => ({
  id: 'f3b0c6de-7d5c-4c3e-9a39-0b8a4f1d2c77',
  accepted_at: '2026-05-17T11:58:03.250Z',
  ended_at: '2026-05-17T11:58:03.252Z',
  pool: 'residential',
  protocol: 'connect',
  target: 'example.com:443',
  country: 'us',
  outcome: 'done',
  code: null,
  status: null,
  multiplier: 1,
  connected_ms: null,
  first_byte_ms: null,
  duration_ms: 2,
  up_bytes: 0,
  down_bytes: 0,
  charged_bytes: 0,
  user: null,
  user_label: null,
  ...rest,
})

describe('filtersIn', () => {
  it('reads the filters of an address and omits invalid ones', () => {
    const search =
      'tab=requests&outcome=refused&pool=mobile&host=%20Example.com&country=US&code=no_traffic&user=ubbbbbbbbbbb&time=day'
    expect(filtersIn(new URLSearchParams(search))).toEqual({
      outcome: 'refused',
      pool: 'mobile',
      host: 'example.com',
      country: 'us',
      code: 'no_traffic',
      user: 'ubbbbbbbbbbb',
      time: 'day',
    })
    const forged = 'outcome=<b>&pool=satellite&host=%20&country=usa&code=x&user=%25&time=year'
    expect(filtersIn(new URLSearchParams(forged))).toEqual({})
  })
})

it('inputOf turns the time into where the list ends', () => {
  const nowMs = Date.parse('2026-05-17T12:00:00Z')
  expect(inputOf({ time: 'day', host: 'example.com' }, '1_a', nowMs)).toEqual({
    host: 'example.com',
    from: '2026-05-16T12:00:00.000Z',
    after: '1_a',
  })
})

it('fits decides on a new request as the server does on listed ones', () => {
  const refused = request({ outcome: 'refused', code: 'no_traffic', target: '[2001:db8::1]:80' })
  expect(fits(refused, {})).toBe(true)
  expect(fits(refused, { outcome: 'refused', code: 'no_traffic', host: '2001:db8::1' })).toBe(true)
  expect(fits(refused, { outcome: 'done' })).toBe(false)
  expect(fits(request({ outcome: 'idle' }), { outcome: 'failed' })).toBe(true)
  expect(fits(request(), { host: 'ample.com' })).toBe(false)
  expect(fits(request(), { country: 'de' })).toBe(false)
  expect(fits(request(), { user: 'account' })).toBe(true)
  const shared = request({ user: 'ubbbbbbbbbbb', user_label: 'Anna' })
  expect(fits(shared, { user: 'account' })).toBe(false)
  expect(fits(shared, { user: 'ubbbbbbbbbbb' })).toBe(true)
  expect(fits(request({ pool: null }), { pool: 'mobile' })).toBe(false)
})

it('merged shows each request once', () => {
  const [one, two] = [request({ id: '1' }), request({ id: '2' })]
  expect(merged([two], [two, one])).toEqual([two, one])
})
