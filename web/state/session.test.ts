import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from './reads/queries.ts'
import { readSession, session, type Session } from './session.ts'
import { viewKey } from './storage.ts'

const user = (): Session => ({
  created_at: '2026-11-01T00:00:00Z',
  updated_at: '2026-11-01T00:00:00Z',
  reg_date: '2026-11-01T00:00:00Z',
  user_id: 7,
  lang: 'rus',
  invited_by: null,
  pers_percent: '0',
  username: 'nightshift',
  email: 'night@example.com',
  password: '*',
  role_id: 1,
  confirmed: true,
  tgcode: null,
  tgcode_expires: null,
  ref_balance_usd: 1.5,
  token: 'secret',
  residential: { balance: 5000, balance_format: '5.00 GB', password: 'p' },
  residential_premium: { balance: 0, balance_format: '0 GB', password: null },
  datacenter: { balance: 0, balance_format: '0 GB', password: null },
  mobile: { balance: 0, balance_format: '0 GB', password: null },
})

const reload = vi.fn<() => void>()

/** What another tab stores, as this tab hears of it; null: it signs out. */
function elsewhere(next: Session | null): void {
  const newValue = next === null ? null : JSON.stringify(next)
  if (newValue === null) localStorage.removeItem('user')
  else localStorage.setItem('user', newValue)
  window.dispatchEvent(new StorageEvent('storage', { key: 'user', newValue, storageArea: localStorage }))
}

/** The browser shows this page again from its back/forward cache. */
const restored = () => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))

beforeEach(() => {
  localStorage.clear()
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
})
afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  session.clear()
  queryClient.clear()
  reload.mockReset()
  vi.restoreAllMocks()
})

describe('the session', () => {
  it('is stored in local storage under `user` and read back unchanged', () => {
    session.set(user())
    expect(session.get()).toEqual(user())
    expect(readSession(localStorage.getItem('user'))).toEqual(user())
  })

  it('changes the language and nothing else', () => {
    session.set(user())
    session.setLanguage('eng')
    expect(session.get()).toEqual({ ...user(), lang: 'eng' })
    expect(readSession(localStorage.getItem('user'))?.lang).toBe('eng')
  })

  it('keeps the token when the profile is updated', () => {
    session.set(user())
    session.update({ ...user(), token: null, ref_balance_usd: 9 })
    expect(session.get()).toEqual({ ...user(), ref_balance_usd: 9 })
  })

  it('keeps the membership by which it acts on a team, and takes no profile of another account', () => {
    const acting = { role: 'viewer', own: '9', name: 'anna.ops' } as const
    session.set({ ...user(), acting })
    session.update({ ...user(), token: null, ref_balance_usd: 3 })
    expect(session.get()).toEqual({ ...user(), acting, ref_balance_usd: 3 })
    session.update({ ...user(), user_id: 9, token: null })
    expect(session.get()?.user_id).toBe(7)
    session.setRole('admin')
    expect(readSession(localStorage.getItem('user'))?.acting).toEqual({ ...acting, role: 'admin' })
    const wrong = { ...user(), acting: { ...acting, role: 'owner' } }
    expect(readSession(JSON.stringify(wrong))?.acting).toBeUndefined()
  })

  it('does not begin with a profile or a language alone', () => {
    session.update({ ...user(), token: null })
    session.setLanguage('eng')
    expect(session.get()).toBeNull()
    expect(localStorage.getItem('user')).toBeNull()
  })

  it('is removed from storage when cleared, and its listeners are notified', () => {
    const listener = vi.fn<() => void>()
    session.set(user())
    const stop = session.subscribe(listener)
    session.clear()
    stop()
    session.set(user())
    expect(listener).toHaveBeenCalledTimes(1)
    session.clear()
    expect(localStorage.getItem('user')).toBeNull()
    expect(session.get()).toBeNull()
  })

  it('stays removed when a profile arrives after another tab has signed out', () => {
    session.set(user())
    localStorage.removeItem('user')
    session.update({ ...user(), token: null, ref_balance_usd: 9 })
    expect(localStorage.getItem('user')).toBeNull()
    localStorage.setItem('user', JSON.stringify({ ...user(), token: 'another' }))
    session.setLanguage('eng')
    expect(readSession(localStorage.getItem('user'))).toEqual({ ...user(), token: 'another' })
  })

  it('follows another tab that signs in or out', () => {
    const text = JSON.stringify(user())
    localStorage.setItem('user', text)
    window.dispatchEvent(new StorageEvent('storage', { key: 'user', newValue: text }))
    expect(session.get()?.username).toBe('nightshift')
    localStorage.clear()
    window.dispatchEvent(new StorageEvent('storage', { key: null }))
    expect(session.get()).toBeNull()
  })

  it('ends with the one of another tab although this tab stored its profile at that moment', () => {
    session.set(user())
    window.dispatchEvent(new StorageEvent('storage', { key: 'user', newValue: null }))
    expect(session.get()).toBeNull()
    expect(localStorage.getItem('user')).toBeNull()
  })

  it('of a new sign-in in another tab stays when the news of the sign-out before arrives late', () => {
    session.set(user())
    const next = JSON.stringify({ ...user(), token: 'another' })
    localStorage.setItem('user', next)
    window.dispatchEvent(new StorageEvent('storage', { key: 'user', newValue: null }))
    expect(session.get()?.token).toBe('another')
    expect(localStorage.getItem('user')).toBe(next)
  })
})

describe('the page', () => {
  const key = ['own reseller token']
  const other = (): Session => ({ ...user(), user_id: 8, token: 'another' })
  const member = (): Session => ({ ...other(), user_id: 7, acting: { role: 'admin', own: '8', name: null } })

  it('is loaded anew, not followed, when another tab signs in as another customer', () => {
    session.set(user())
    elsewhere(other())
    expect(reload).toHaveBeenCalledOnce()
    expect(session.get()?.user_id).toBe(7)
  })

  it('is loaded anew when the other tab has signed out first', () => {
    session.set(user())
    elsewhere(null)
    expect(session.get()).toBeNull()
    elsewhere(other())
    expect(reload).toHaveBeenCalledOnce()
    expect(session.get()).toBeNull()
  })

  it('is loaded anew for another person who acts on the same account', () => {
    session.set(user())
    elsewhere(member())
    expect(reload).toHaveBeenCalledOnce()
    expect(session.get()?.acting).toBeUndefined()
  })

  it('keeps its data when the same customer signs in again', () => {
    session.set(user())
    queryClient.setQueryData(key, 'of 7')
    elsewhere({ ...user(), token: 'another' })
    expect(reload).not.toHaveBeenCalled()
    expect(session.get()?.token).toBe('another')
    expect(queryClient.getQueryData(key)).toBe('of 7')
  })

  it('forgets the data of an account when another tab signs out of it', () => {
    session.set(user())
    queryClient.setQueryData(key, 'of 7')
    elsewhere(null)
    expect(queryClient.getQueryData(key)).toBeUndefined()
  })

  it('reads the stored session again when the browser restores the page', () => {
    session.set(user())
    queryClient.setQueryData(key, 'of 7')
    localStorage.removeItem('user')
    restored()
    expect(session.get()).toBeNull()
    expect(queryClient.getQueryData(key)).toBeUndefined()
    localStorage.setItem('user', JSON.stringify(other()))
    restored()
    expect(reload).toHaveBeenCalledOnce()
  })

  it('that signs out leaves the session that another tab has begun since', () => {
    session.set(user())
    localStorage.setItem('user', JSON.stringify(other()))
    session.clear()
    expect(readSession(localStorage.getItem('user'))?.user_id).toBe(8)
    expect(reload).toHaveBeenCalledOnce()
  })

  it('with a view of staff stays when the member of staff signs out in another tab', () => {
    sessionStorage.setItem(viewKey, '{}')
    session.set({ ...user(), token: 'view' })
    elsewhere(null)
    expect(session.get()?.token).toBe('view')
    expect(sessionStorage.getItem('user')).not.toBeNull()
    elsewhere(other())
    expect(session.get()?.token).toBe('view')
    expect(reload).not.toHaveBeenCalled()
  })
})

describe('a stored text', () => {
  it.each([
    ['nothing', null],
    ['no JSON', '{"token":'],
    ['an empty text', ''],
    ['null', 'null'],
    ['a list', '[1]'],
    ['a number', '7'],
    ['a user without a token', JSON.stringify({ ...user(), token: null })],
    ['an empty token', JSON.stringify({ ...user(), token: '' })],
    ['a user without an id', JSON.stringify({ token: 'secret' })],
  ])('is no session when it is %s', (_, text) => {
    expect(readSession(text)).toBeNull()
  })

  it('gets the defaults of fields that are missing or of another type', () => {
    const restored = readSession(
      JSON.stringify({
        token: 't',
        user_id: 3,
        lang: 5,
        username: {},
        mobile: 'all',
        datacenter: { balance: 2.5 },
      }),
    )
    expect(restored).toMatchObject({
      user_id: 3,
      lang: 'rus',
      username: null,
      pers_percent: '0',
      mobile: { balance: 0, balance_format: '0 GB', password: null },
      datacenter: { balance: 2.5, balance_format: '0 GB', password: null },
    })
  })
})
