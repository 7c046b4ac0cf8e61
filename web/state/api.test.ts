/** An answer of 401 ends the session whose token was refused, and no other. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { call, callWith, onSignedOut } from './api.ts'
import { queryClient } from './reads/queries.ts'
import { readSession, session, type Session } from './session.ts'

const as = (user_id: number, token: string) => readSession(JSON.stringify({ user_id, token })) as Session
const store = (stored: Session) => localStorage.setItem('user', JSON.stringify(stored))
const stored = () => readSession(localStorage.getItem('user'))
const refusal = () => Response.json({ code: 'unauthorized', message: 'Sign in.' }, { status: 401 })

const redirect = vi.fn<() => void>()
const reload = vi.fn<() => void>()
/** Answers the call that is under way. */
let refuse = () => {}

beforeEach(() => {
  localStorage.clear()
  onSignedOut(redirect)
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
  vi.stubGlobal('fetch', (url: string) =>
    url.startsWith('/api/')
      ? new Promise<Response>((resolve) => (refuse = () => resolve(refusal())))
      : Promise.resolve(new Response('ok')),
  )
  refuse = () => {}
  session.set(as(7, 'old'))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  localStorage.clear()
  session.clear()
  queryClient.clear()
  onSignedOut(() => undefined)
  redirect.mockReset()
  reload.mockReset()
})

/** Makes a call that is refused after `meanwhile`. */
async function refusedAfter(meanwhile: () => void, make = call): Promise<void> {
  const made = make('legacy_profile', {}).catch((error: unknown) => error)
  await Promise.resolve()
  meanwhile()
  refuse()
  expect(await made).toMatchObject({ status: 401 })
}

it('ends the session of the page', async () => {
  await refusedAfter(() => undefined)
  expect([session.get(), stored()]).toEqual([null, null])
  expect(redirect).toHaveBeenCalledOnce()
})

it('leaves the stored session of another customer, whose page is then loaded', async () => {
  await refusedAfter(() => store(as(8, 'theirs')))
  expect(stored()?.token).toBe('theirs')
  expect(reload).toHaveBeenCalledOnce()
  expect(redirect).not.toHaveBeenCalled()
})

it('takes over the stored session in which the same customer has signed in again', async () => {
  await refusedAfter(() => store(as(7, 'new')))
  expect([session.get()?.token, stored()?.token]).toEqual(['new', 'new'])
  expect([redirect, reload].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
})

it('does not end the session to which the page has changed since', async () => {
  await refusedAfter(() => session.set(as(7, 'new')))
  expect([session.get()?.token, stored()?.token]).toEqual(['new', 'new'])
  expect(redirect).not.toHaveBeenCalled()
})

it('of a token that is no session of this browser leaves the session', async () => {
  await refusedAfter(() => undefined, callWith('of a link'))
  expect([session.get()?.token, stored()?.token]).toEqual(['old', 'old'])
  expect(redirect).not.toHaveBeenCalled()
})

it('has the reads repeated whose answers were refused', async () => {
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries')
  await refusedAfter(() => store(as(7, 'new')))
  expect(invalidate).toHaveBeenCalled()
  invalidate.mockRestore()
})
