import { describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { codeFault, profileFault } from './auth/telegram-fault.ts'
import { faultOf } from './promocode/fault.ts'
import { hostOf } from './reading/host.ts'

const refused = (status: number) => new CallError({ code: 'any', status, message: 'any' })

describe('a promo code that was not taken', () => {
  it.each([
    [422, 'invalid'],
    [409, 'used'],
    [500, 'processing'],
    [0, 'processing'],
  ])('with %i is %s', (status, expected) => expect(faultOf(refused(status))).toBe(expected))

  it('for any other reason is a processing error', () => expect(faultOf(new Error('x'))).toBe('processing'))
})

describe('a sign-in by code that failed', () => {
  it.each([
    [422, 'invalid'],
    [404, 'unknown'],
    [400, 'bad'],
    [429, 'often'],
    [500, 'failed'],
    [0, 'failed'],
  ])('with %i is %s', (status, expected) => expect(codeFault(refused(status))).toBe(expected))

  it('at the profile tells a bad token from the rest', () => {
    expect(profileFault(refused(401))).toBe('badToken')
    expect(profileFault(refused(500))).toBe('profileFailed')
    expect(profileFault(new Error('x'))).toBe('profileFailed')
  })
})

describe('the site of a link', () => {
  it('is named without www', () => expect(hostOf('https://www.forum.example/t/1')).toBe('forum.example'))
  it('is nothing where there is none', () =>
    expect([hostOf('/rules'), hostOf('mailto:a@b.c')]).toEqual(['', '']))
})
