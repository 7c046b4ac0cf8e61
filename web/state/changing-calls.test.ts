/** The behaviour of each changing call of the contract when the network, the session or the server fails. */
import { MutationObserver, onlineManager, QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallError, createClient } from '#contract/client'
import { type Name, wire } from '#contract/wire'
import { call, onSignedOut } from './api.ts'
import { queryConfig } from './reads/query-config.ts'
import { session, type Session } from './session.ts'
import { Router } from '../router/router.ts'

const names = (Object.keys(wire) as Name[]).filter((name) => wire[name].effect !== 'reads')

const routes = ['form', 'other', '*'].map((path) => ({ path }))

/** The requests to the API, with their headers. */
let sent: { url: string; headers: Record<string, string> }[] = []
let isOnline = true
let answer: (init: RequestInit) => Promise<Response> = () => Promise.reject(new TypeError('no answer'))

function setOnline(now: boolean): void {
  isOnline = now
  window.dispatchEvent(new Event(now ? 'online' : 'offline'))
}

const pool = { balance: 0, balance_format: '0 GB', password: null }
const user = {
  user_id: 7,
  username: 'nightshift',
  lang: 'rus',
  token: 'the token',
  residential: pool,
  residential_premium: pool,
  datacenter: pool,
  mobile: pool,
} as unknown as Session

beforeEach(() => {
  sent = []
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => isOnline)
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (!url.startsWith('/api/'))
      return isOnline ? Promise.resolve(new Response('ok')) : Promise.reject(new TypeError('offline'))
    sent.push({ url, headers: init.headers as Record<string, string> })
    return answer(init)
  })
  session.set(user)
})

afterEach(() => {
  setOnline(true)
  session.clear()
  onSignedOut(() => undefined)
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Makes the call as the pages do, through the mutations of the cache. */
function press(name: Name, make: typeof call = call): Promise<unknown> {
  const client = new QueryClient(queryConfig)
  client.mount()
  const mutation = new MutationObserver(client, { mutationFn: () => make(name, {} as never) })
  return mutation.mutate().finally(() => client.unmount())
}

const failureOf = (made: Promise<unknown>) =>
  made.then(
    () => null,
    (error: CallError) => error,
  )

/** Leaves time in which calls that wrongly wait for the network would be sent. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20))

test('the contract has changing calls', () => expect(names.length).toBeGreaterThan(50))

describe.each(names)('%s', (name) => {
  test('is refused at once without a network, and not sent when it is back', async () => {
    setOnline(false)
    const failure = await failureOf(press(name))
    expect(failure?.code).toBe('offline')
    expect(failure?.message).toContain('ничего не отправлено')
    answer = () => Promise.resolve(Response.json(true))
    setOnline(true)
    onlineManager.setOnline(false)
    onlineManager.setOnline(true)
    await settle()
    expect(sent).toEqual([])
  })

  test('is sent where only the browser believes that there is no network', async () => {
    answer = () => Promise.resolve(Response.json(true))
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    await press(name)
    expect(sent).toHaveLength(1)
  })

  test('ends at the time limit on a slow line, and is not sent again', async () => {
    answer = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error))
      })
    const slow = createClient({ token: () => 'the token', language: () => 'ru', timeoutMs: 10 })
    const failure = await failureOf(press(name, slow))
    expect(failure?.code).toBe('timeout')
    onlineManager.setOnline(false)
    onlineManager.setOnline(true)
    await settle()
    expect(sent).toHaveLength(1)
  })

  test('is not repeated after the session has ended, which leads to the page of signing in', async () => {
    const redirect = vi.fn<() => void>()
    onSignedOut(redirect)
    answer = () =>
      Promise.resolve(Response.json({ code: 'unauthorized', message: 'Войдите' }, { status: 401 }))
    const failure = await failureOf(press(name))
    expect(failure?.status).toBe(401)
    expect(session.get()).toBeNull()
    expect(redirect).toHaveBeenCalledOnce()
    await settle()
    expect(sent).toHaveLength(1)
  })

  test('is made once, whatever pages are visited by going back and forward before it is answered', async () => {
    const router = new Router(routes)
    await router.start()
    let arrive = () => {}
    const arrived = new Promise<Response>((resolve) => {
      arrive = () => resolve(Response.json(true))
    })
    answer = () => arrived
    const made = press(name)
    await expect.poll(() => sent.length).toBe(1)
    await router.navigate('/other')
    for (const path of ['/form', '/other', '/form']) {
      window.history.replaceState(null, '', path)
      window.dispatchEvent(new PopStateEvent('popstate'))
    }
    arrive()
    await made
    await settle()
    expect(sent).toHaveLength(1)
    expect(router.state.location.pathname).toBe('/form')
    router.close()
  })

  test('does not use the session that another tab has ended', async () => {
    localStorage.removeItem('user')
    window.dispatchEvent(new StorageEvent('storage', { key: 'user' }))
    answer = () =>
      Promise.resolve(Response.json({ code: 'unauthorized', message: 'Войдите' }, { status: 401 }))
    await failureOf(press(name))
    expect(sent.map(({ headers }) => headers['authorization'])).toEqual([undefined])
  })
})
