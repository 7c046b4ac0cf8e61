/** A proxy user whose creation is not answered is not made twice: it may hold reserved traffic already. */
import { QueryClientProvider } from '@tanstack/react-query'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, it, vi } from 'vitest'
import { loadTexts } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { toast } from '../../state/toast.ts'
import type { UserInput } from './user-form.ts'
import { useUsers } from './use-users.ts'

afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('is created with the same key until the shop has answered', async () => {
  await loadTexts('proxyUsers')
  const keys: (string | undefined)[] = []
  let isLost = true
  vi.spyOn(toast, 'error').mockImplementation(() => undefined)
  vi.spyOn(toast, 'success').mockImplementation(() => undefined)
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', (url: string, { headers }: RequestInit = {}) => {
    if (!url.endsWith('create_proxy_user')) return Promise.resolve(Response.json({ users: [], count: 0 }))
    keys.push((headers as Record<string, string>)['idempotency-key'])
    if (isLost) return Promise.reject(new TypeError('the connection was lost'))
    return Promise.resolve(Response.json({ number: keys.length, label: 'Scraper' }))
  })
  let acts: ReturnType<typeof useUsers> | null = null
  function Users() {
    acts = useUsers('residential', '')
    return null
  }
  const root = createRoot(document.createElement('div'))
  act(() => root.render(createElement(QueryClientProvider, { client: queryClient }, createElement(Users))))
  const create = async (label: string) => {
    await act(async () => {
      acts?.create.mutate({ label, total_bytes: 1000, reserved: true } as unknown as UserInput)
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  }
  await create('Scraper')
  isLost = false
  for (const label of ['Scraper', 'Scraper', 'Other']) await create(label)
  act(() => root.unmount())
  expect(keys[0]).toMatch(/^\w{32}$/)
  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(3)
})
