import { beforeEach, describe, expect, it } from 'vitest'
import { captureReferral, forgetReferral, referralIn, storedReferral } from './referral.ts'

describe('referral codes in an address', () => {
  it.each([
    ['ref', 'https://shop.example/?ref=ab12', { referral: 'ab12', cleaned: '/' }],
    ['referry', 'https://shop.example/rules?referry=cd34', { referral: 'cd34', cleaned: '/rules' }],
    ['source', 'https://shop.example/?source=op', { admin: 'op', cleaned: '/' }],
    [
      'both, among others',
      'https://shop.example/purchase?amount=5&ref=a&source=b&pool=mobile#pay',
      { referral: 'a', admin: 'b', cleaned: '/purchase?amount=5&pool=mobile#pay' },
    ],
    ['ref before referry', 'https://shop.example/?referry=old&ref=new', { referral: 'new', cleaned: '/' }],
    ['an empty ref', 'https://shop.example/?ref=%20', { cleaned: '/' }],
    ['an overlong ref', `https://shop.example/?ref=${'x'.repeat(65)}`, { cleaned: '/' }],
    ['none', 'https://shop.example/?pool=mobile', { cleaned: null }],
  ])('%s', (_, address, expected) => {
    expect(referralIn(address)).toEqual(expected)
  })
})

describe('a visit by a referral link', () => {
  beforeEach(() => localStorage.clear())

  it('stores the codes and cleans the address', () => {
    window.history.replaceState(null, '', '/?ref=ab12&source=op&pool=mobile')
    captureReferral()
    expect(storedReferral()).toEqual({ referral: 'ab12', admin: 'op' })
    expect(localStorage.getItem('referralCode')).toBe('ab12')
    expect(localStorage.getItem('adminReferralCode')).toBe('op')
    expect(window.location.search).toBe('?pool=mobile')
  })

  it('keeps an earlier code when a later visit has none', () => {
    localStorage.setItem('referralCode', 'first')
    window.history.replaceState(null, '', '/?ref=')
    captureReferral()
    expect(storedReferral().referral).toBe('first')
  })

  it('removes both after a sign-up', () => {
    localStorage.setItem('referralCode', 'a')
    localStorage.setItem('adminReferralCode', 'b')
    forgetReferral()
    expect(storedReferral()).toEqual({ referral: null, admin: null })
  })
})
