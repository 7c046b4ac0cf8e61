import { describe, expect, it } from 'vitest'
import { CallError } from '#contract/client'
import { StartError } from './start-session.ts'
import { telegramErrorOf } from './telegram-error.ts'

const refused = (status: number) => new CallError({ code: 'any', status, message: 'any' })

describe('signing in with a code', () => {
  it.each([
    [422, 'invalid'],
    [404, 'unknown'],
    [400, 'bad'],
    [429, 'often'],
    [500, 'failed'],
    [0, 'failed'],
  ])('that fails with %i has the error %s', (status, expected) =>
    expect(telegramErrorOf(refused(status))).toBe(expected),
  )

  it.each(['noToken', 'badToken', 'noProfile', 'profileFailed'] as const)(
    'that fails after the code was accepted has the error %s',
    (failure) => expect(telegramErrorOf(new StartError(failure))).toBe(failure),
  )

  it('that fails unexpectedly has the general error', () =>
    expect(telegramErrorOf(new Error('x'))).toBe('failed'))
})
