import { describe, expect, it } from 'vitest'
import { addressOfHit } from './palette-search.ts'

describe('the search for everything', () => {
  it.each([
    ['customer', '7', '/customers/7'],
    ['invoice', 'INV/1', '/invoices/INV%2F1'],
    ['connection', 'c0ffee', '/connections?request_id=c0ffee'],
    ['exit', '3', '/exits'],
    ['promo_code', '4', '/promo-codes?text=a%26b'],
  ] as const)('opens a %s at its page', (kind, id, address) =>
    expect(addressOfHit({ kind, id, title: 'a&b', by: 'id' })).toBe(address),
  )
})
