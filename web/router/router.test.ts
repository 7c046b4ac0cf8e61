import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Router } from './router.ts'
import { pageAt, redirect, type Route, tableOf } from './routes.ts'

const Component = () => null
const routers: Router[] = []

function routerOf(routes: readonly Route[]): Router {
  const router = new Router(routes)
  routers.push(router)
  return router
}

beforeEach(() => window.history.replaceState(null, '', '/'))
afterEach(() => {
  for (const router of routers.splice(0)) router.close()
})

describe('the page at a path', () => {
  const table = tableOf([
    {
      children: [
        { handle: 'home' },
        { path: 'rules', handle: 'rules' },
        { path: 'en', children: [{ handle: 'english home' }, { path: '*', handle: 'english rest' }] },
        { path: '*', handle: 'rest' },
      ],
    },
  ])

  it.each([
    ['/', 'home'],
    ['/rules', 'rules'],
    ['/Rules//', 'rules'],
    ['/en', 'english home'],
    ['/en/', 'english home'],
    ['/en/nowhere/at/all', 'english rest'],
    ['/nowhere', 'rest'],
    ['/english', 'rest'],
  ])('%s is %s', (path, page) => expect(pageAt(table, path).at(-1)?.handle).toBe(page))
})

describe('a navigation', () => {
  it('shows a page when its code has loaded, and keeps the one before until then', async () => {
    let arrive = () => {}
    const code = new Promise<{ Component: typeof Component }>((resolve) => {
      arrive = () => resolve({ Component })
    })
    const router = routerOf([{ Component }, { path: 'slow', lazy: () => code }])
    await router.start()
    const gone = router.navigate('/slow?pool=mobile#end', { state: { from: 'home' } })
    expect(router.state).toMatchObject({ location: { pathname: '/' }, isBusy: true })
    arrive()
    await gone
    expect(router.state).toMatchObject({ isBusy: false, scroll: 'reset' })
    expect(router.state.location).toMatchObject({
      pathname: '/slow',
      search: '?pool=mobile',
      hash: '#end',
      state: { from: 'home' },
    })
    expect(window.location.href).toMatch(/\/slow\?pool=mobile#end$/)
  })

  it('is superseded by a later one', async () => {
    let arrive = () => {}
    const code = new Promise<{ Component: typeof Component }>((resolve) => {
      arrive = () => resolve({ Component })
    })
    const router = routerOf([{ Component }, { path: 'slow', lazy: () => code }, { path: 'fast', Component }])
    await router.start()
    const slow = router.navigate('/slow')
    await router.navigate('/fast')
    arrive()
    await slow
    expect(router.state.location.pathname).toBe('/fast')
    expect(window.location.pathname).toBe('/fast')
  })

  it('follows a redirect without loading the code of the page that redirects', async () => {
    const lazy = vi.fn<() => Promise<{ Component: typeof Component }>>()
    const router = routerOf([
      { Component },
      { path: 'account', loader: ({ url }) => redirect(`/login?to=${url.search.slice(1)}`), lazy },
      { path: 'later', loader: async () => redirect('/login'), Component },
      { path: 'login', Component },
    ])
    await router.start()
    const before = window.history.length
    await router.navigate('/account?panel')
    expect(router.state.location).toMatchObject({ pathname: '/login', search: '?to=panel' })
    expect(lazy).not.toHaveBeenCalled()
    expect(window.history.length).toBe(before + 1)
    await router.navigate('/later', { replace: true })
    expect(router.state.location.pathname).toBe('/login')
    expect(window.history.length).toBe(before + 1)
  })

  it('within a page runs no loader, and happens at once', async () => {
    const loader = vi.fn<() => null>(() => null)
    const router = routerOf([{ loader, Component }])
    await router.start()
    const shown = vi.fn<(state: unknown, how: string) => void>()
    router.subscribe(shown)
    const done = router.navigate('?tab=panel', { flushSync: true, preventScrollReset: true })
    expect(window.location.search).toBe('?tab=panel')
    expect(shown.mock.calls.map(([, how]) => how)).toEqual(['sync'])
    expect(router.state.scroll).toBeNull()
    await done
    expect(loader).toHaveBeenCalledOnce()
  })

  it('to a page whose code does not load says so, and loads it again the next time', async () => {
    const lazy = vi
      .fn<() => Promise<{ Component: typeof Component }>>()
      .mockRejectedValueOnce(new Error('gone'))
      .mockResolvedValue({ Component })
    const router = routerOf([{ Component }, { path: 'page', lazy }])
    await router.start()
    await router.navigate('/page')
    expect(router.state).toMatchObject({ location: { pathname: '/page' }, isFailed: true })
    await router.navigate('/page')
    expect(router.state.isFailed).toBe(false)
  })

  it('back restores the place, its state and its scroll position', async () => {
    const router = routerOf([{ Component }, { path: 'next', Component }])
    await router.start()
    await router.navigate('/next', { state: 'handed over' })
    const entry: unknown = window.history.state
    await router.navigate('/')
    window.history.replaceState(entry, '', '/next')
    window.dispatchEvent(new PopStateEvent('popstate'))
    await expect.poll(() => router.state.isBusy).toBe(false)
    expect(router.state).toMatchObject({
      location: { pathname: '/next', state: 'handed over', key: (entry as { key: string }).key },
      scroll: 'return',
    })
  })
})
