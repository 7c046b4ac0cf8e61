/**
 * Each changing call of the desk fails at once without a network, and is not sent when the network is back.
 */
import { MutationObserver, onlineManager } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import type { CallError } from '#contract/transport'
import { type DeskName, deskWire } from '#contract/desk/wire'
import { call, queryClient } from './api.ts'

const names = (Object.keys(deskWire) as DeskName[]).filter((name) => deskWire[name].effect !== 'reads')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('the desk has changing calls', () => expect(names.length).toBeGreaterThan(50))

test.each(names)('%s', async (name) => {
  const sent: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    sent.push(url)
    return Promise.reject(new TypeError('offline'))
  })
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const mutation = new MutationObserver(queryClient, { mutationFn: () => call(name, {} as never) })
  const failure = await mutation.mutate().then(
    () => null,
    (error: CallError) => error,
  )
  expect(failure?.code).toBe('offline')
  onLine.mockReturnValue(true)
  onlineManager.setOnline(false)
  onlineManager.setOnline(true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(sent.filter((url) => url !== '/healthz')).toEqual([])
})
