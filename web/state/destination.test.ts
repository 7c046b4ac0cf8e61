import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  endedSession,
  forgetDestination,
  keepDestination,
  keepLeftPlace,
  takeDestination,
} from './destination.ts'
import { readSession, session } from './session.ts'

beforeEach(() => sessionStorage.clear())
afterEach(() => {
  vi.useRealTimers()
  session.clear()
})

const signIn = (user_id: number) => {
  const user = readSession(JSON.stringify({ user_id, token: 't' }))
  if (user !== null) session.set(user)
}
const keep = (address: string) => keepDestination(new URL(address, 'https://shop.example.net'))

describe('the destination of a visitor', () => {
  it('is used once, with the query of the address', () => {
    keep('/purchase?amount=300&pool=mobile')
    expect([takeDestination(), takeDestination()]).toEqual(['/purchase?amount=300&pool=mobile', '/account'])
    keep('/account?tab=statistic')
    expect(takeDestination()).toBe('/account?tab=statistic')
  })

  it('is a page that needs an account, and no other', () => {
    for (const address of ['/', '/login', '/accounts', '//evil.example/account', '/rules?/account'])
      keep(address)
    expect(takeDestination()).toBe('/account')
    for (const path of ['https://evil.example/account', '//evil.example', '/\\evil.example', 7, null]) {
      sessionStorage.setItem('destination', JSON.stringify({ path, at: Date.now() }))
      expect(takeDestination()).toBe('/account')
    }
    sessionStorage.setItem('destination', '{"path":')
    expect(takeDestination()).toBe('/account')
  })

  it('is forgotten after half an hour', () => {
    vi.useFakeTimers()
    keep('/purchase?amount=2')
    vi.advanceTimersByTime(31 * 60_000)
    expect(takeDestination()).toBe('/account')
  })

  it('of an ended session is for its user only', () => {
    const place = { pathname: '/account', search: '?tab=invoices' }
    for (const [next, expected] of [
      [1, '/account?tab=invoices'],
      [2, '/account'],
    ] as const) {
      signIn(1)
      session.clear()
      keepLeftPlace(place)
      signIn(next)
      expect(takeDestination()).toBe(expected)
      // It is removed, whether or not it was used.
      expect(takeDestination()).toBe('/account')
    }
  })

  it('reports to the sign-in page that a session has ended, and whose', () => {
    expect(endedSession()).toBeNull()
    const user = readSession(JSON.stringify({ user_id: 1, token: 't', username: 'nightshift' }))
    if (user !== null) session.set(user)
    document.body.innerHTML = '<label>Сайты <input value="example.com"></label>'
    session.clear()
    keepLeftPlace({ pathname: '/account', search: '?tab=proxyUsers' })
    document.body.innerHTML = ''
    expect(endedSession()).toEqual({ name: 'nightshift', hasTyped: true })
    // A late answer, when the sign-in page is on the screen.
    session.clear()
    keepLeftPlace({ pathname: '/login', search: '' })
    expect(endedSession()).toEqual({ name: 'nightshift', hasTyped: true })
    signIn(1)
    expect(takeDestination()).toBe('/account?tab=proxyUsers')
    expect(endedSession()).toBeNull()
  })

  it('reports nothing after signing out', () => {
    signIn(1)
    forgetDestination()
    session.clear()
    keepLeftPlace({ pathname: '/account', search: '' })
    expect(endedSession()).toBeNull()
  })

  it('of a visitor is for the next sign-in, and is removed after signing out', () => {
    signIn(1)
    session.clear()
    keep('/purchase?amount=5')
    signIn(2)
    expect(takeDestination()).toBe('/purchase?amount=5')
    keep('/purchase?amount=5')
    forgetDestination()
    expect(takeDestination()).toBe('/account')
  })
})
