/** The account on which the session acts: what a role opens, and a tab that was left behind. */
import { afterEach, expect, it, vi } from 'vitest'
import { call } from '../api.ts'
import { session, type Session } from '../session.ts'
import { roleAllows } from './team.ts'

const pool = { balance: 0, balance_format: '0 GB', password: null }
const user = {
  user_id: 7,
  lang: 'eng',
  username: 'nightshift',
  token: 'the token',
  residential: pool,
  residential_premium: pool,
  datacenter: pool,
  mobile: pool,
} as unknown as Session

afterEach(() => {
  session.clear()
  vi.unstubAllGlobals()
})

const as = (role: 'admin' | 'billing' | 'proxies' | 'viewer') => ({ acting: { role, own: '9', name: null } })

it('a role opens what the role allows, and on one’s own account everything', () => {
  expect(roleAllows({}, 'reseller_token')).toBe(true)
  for (const role of ['admin', 'billing', 'proxies', 'viewer'] as const) {
    expect(roleAllows(as(role), 'reseller_token')).toBe(false)
    expect(roleAllows(as(role), 'my_teams')).toBe(true)
    expect(roleAllows(as(role), 'get_proxy')).toBe(role === 'admin' || role === 'proxies')
  }
})

it('the page names the shown account with each call, and shows the one acted on when it is refused', async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal('location', { ...window.location, pathname: '/account', assign })
  const sent: [string, string | undefined][] = []
  vi.stubGlobal('fetch', (url: string, { headers }: { headers: Record<string, string> }) => {
    sent.push([url, headers['x-account']])
    const answer = url.includes('my_teams')
      ? { own: { account: '7', name: 'nightshift' }, acts_on: '3', teams: [{ account: '3', role: 'viewer' }] }
      : headers['x-account'] === '3'
        ? [{ ...user, user_id: 3, token: null }]
        : { code: 'other_account', message: 'another' }
    return Promise.resolve(Response.json(answer, { status: 'code' in answer ? 409 : 200 }))
  })
  session.set(user)
  await expect(call('legacy_profile', {})).rejects.toMatchObject({ code: 'other_account' })
  await expect.poll(() => assign.mock.calls).toContainEqual(['/account'])
  expect(session.get()).toMatchObject({ user_id: 3, acting: { role: 'viewer', own: '7' } })
  expect(sent.map(([, account]) => account)).toEqual(['7', undefined, '3'])
})
