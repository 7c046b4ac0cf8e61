import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { session } from '../../state/session.ts'
import { startSession } from './start-session.ts'

const answer = (status: number, body: unknown) =>
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(body, { status })))

beforeEach(() => localStorage.clear())
afterEach(() => {
  vi.unstubAllGlobals()
  session.clear()
})

describe('a session', () => {
  it('is stored with the profile and the token', async () => {
    answer(200, [{ user_id: 7, username: 'nightshift' }])
    await startSession(' a token\n')
    expect(session.get()).toMatchObject({ user_id: 7, username: 'nightshift', token: 'a token' })
  })

  it('does not start without a token', async () => {
    await expect(startSession(' \n')).rejects.toMatchObject({ failure: 'noToken' })
  })

  it.each([
    [401, { code: 'unauthorized', message: 'Sign in.' }, 'badToken'],
    [500, { code: 'internal_error', message: 'Failed.' }, 'profileFailed'],
    [200, [], 'noProfile'],
  ])('does not start when the profile answers %i', async (status, body, failure) => {
    answer(status, body)
    await expect(startSession('a token')).rejects.toMatchObject({ failure })
    expect(session.get()).toBeNull()
  })
})
