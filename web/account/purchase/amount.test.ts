import { describe, expect, it } from 'vitest'
import { amountFromAddress, amountText } from './amount.ts'
import { paymentUrl } from './payment-answer.ts'

describe('the amount field', () => {
  it.each([
    ['', ''],
    ['12', '12'],
    ['1 2a3', '123'],
    ['-7', '7'],
    ['0005', '5'],
    ['0', '0'],
    ['99999999', '99999999'],
    ['100000000', '99999999'],
    ['1.5', '1'],
    ['12.5', '12'],
  ])('shows %j as %j', (typed, shown) => expect(amountText(typed)).toBe(shown))

  it.each([
    [null, '1'],
    ['', '1'],
    ['0', '1'],
    ['abc', '1'],
    ['300', '300'],
    ['999999999', '99999999'],
  ])('is %j in the address and %j in the field', (asked, shown) =>
    expect(amountFromAddress(asked)).toBe(shown),
  )
})

describe('paymentUrl', () => {
  it('accepts http and https URLs only', () => {
    expect(paymentUrl('https://pay.example/i/1\n')).toBe('https://pay.example/i/1')
    expect(paymentUrl('http://localhost:3000/sandbox/pay/1')).toBe('http://localhost:3000/sandbox/pay/1')
    expect(paymentUrl('javascript:alert(1)')).toBeNull()
    expect(paymentUrl('no address')).toBeNull()
  })
})
