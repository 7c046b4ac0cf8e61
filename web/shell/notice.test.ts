import { act, createElement } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentLanguage } from '../state/i18n.ts'
import { useNotice } from './notice.ts'
import { restoreSites, type Site } from '../state/site.ts'

const start = Date.parse('2026-11-28T21:59:00Z')
const period = { starts_at: '2026-11-28T22:00:00Z', ends_at: '2026-11-28T23:00:00Z' }
const Shown = () => createElement('p', null, useNotice())

const siteWith = (notice: Site['notice']): Site => ({ notice, brand: { name: 'x' } }) as unknown as Site
const restore = (shown: boolean, text = 'Maintenance') =>
  restoreSites([[currentLanguage(), siteWith({ text, shown, ...period })]])

let asked = 0
beforeEach(() => {
  asked = 0
  vi.useFakeTimers({ now: start })
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  // The server is away during its maintenance.
  vi.stubGlobal('fetch', () => {
    asked++
    return new Promise(() => undefined)
  })
})
afterEach(() => {
  restoreSites([])
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms))

it('a page is hydrated as it was rendered, and asks again when its clock says otherwise', async () => {
  restore(true, '<b>x</b>')
  const html = renderToString(createElement(Shown))
  expect(html).toBe('<p>&lt;b&gt;x&lt;/b&gt;</p>')
  const place = document.createElement('div')
  place.innerHTML = html
  const faults: unknown[] = []
  let root: ReturnType<typeof hydrateRoot> | undefined
  act(() => {
    root = hydrateRoot(place, createElement(Shown), { onRecoverableError: (error) => faults.push(error) })
  })
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect([faults, asked]).toEqual([[], 1])
  act(() => root?.unmount())
})

it('a notice begins and ends while the page is open and the server is away', () => {
  restore(false)
  const place = document.createElement('div')
  const root = createRoot(place)
  act(() => root.render(createElement(Shown)))
  expect(place.textContent).toBe('')
  pass(61_000)
  expect(place.textContent).toBe('Maintenance')
  pass(3_600_000)
  expect(place.textContent).toBe('')
  act(() => root.unmount())
})
