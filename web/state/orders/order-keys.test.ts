import { describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { mayBeDone, OrderKeys } from './order-keys.ts'

const failure = (status: number, code: string) => new CallError({ status, code, message: '' })

describe('the key of an order', () => {
  const order = { pool: 'residential', megabytes: 500, to: 'bob' }

  it('is the same until the order has succeeded, also after another order in between', () => {
    const keys = new OrderKeys()
    const first = keys.keyOf(order)
    expect(keys.keyOf({ ...order, megabytes: 600 })).not.toBe(first)
    expect(keys.keyOf({ ...order })).toBe(first)
    keys.done(order)
    expect(keys.keyOf(order)).not.toBe(first)
  })
})

describe('an order', () => {
  it.each([
    failure(0, 'timeout'),
    failure(0, 'network'),
    failure(502, 'unexpected_answer'),
    failure(409, 'idempotency_key_busy'),
  ])('may have been made when no answer came: %s', (error) => expect(mayBeDone(error)).toBe(true))

  it('was not executed when it was refused', () =>
    expect(mayBeDone(failure(409, 'move_not_covered'))).toBe(false))
})
