import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, it, vi } from 'vitest'
import { call } from '../api.ts'
import { queryConfig } from './query-config.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('a read without a network fails at once, and is repeated when the network is back', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const fetched = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('offline')))
  vi.stubGlobal('fetch', fetched)
  const client = new QueryClient(queryConfig)
  client.mount()
  const read = new QueryObserver(client, { queryKey: ['prices'], queryFn: () => call('prices', {}) })
  const stop = read.subscribe(() => undefined)
  await expect.poll(() => read.getCurrentResult().isError).toBe(true)
  expect(read.getCurrentResult().fetchStatus).toBe('idle')
  expect(fetched.mock.calls.map(([url]) => url)).toEqual(['/healthz'])

  window.dispatchEvent(new Event('offline'))
  onLine.mockReturnValue(true)
  fetched.mockImplementation(() => Promise.resolve(Response.json({ residential: 3.5 })))
  window.dispatchEvent(new Event('online'))
  await expect.poll(() => read.getCurrentResult().data).toEqual({ residential: 3.5 })
  stop()
  client.unmount()
})
