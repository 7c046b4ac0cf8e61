import { describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { promocodeErrorOf } from './promocode-error.ts'

describe('activating a promo code', () => {
  it.each([
    [422, 'invalid'],
    [409, 'used'],
    [500, 'processing'],
    [0, 'processing'],
  ])('that fails with %i has the error %s', (status, expected) =>
    expect(promocodeErrorOf(new CallError({ code: 'any', status, message: 'any' }))).toBe(expected),
  )

  it('that fails unexpectedly has the general error', () =>
    expect(promocodeErrorOf(new Error('x'))).toBe('processing'))
})
