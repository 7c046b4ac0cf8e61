import { expect, it, vi } from 'vitest'
import { onToasterMounted, onToasterRequest, toast } from './toast.ts'

it('requests the toaster with the first notification and displays it once the toaster is mounted', async () => {
  const request = vi.fn<() => void>()
  const display = vi.fn<(kind: string, text: string) => void>()
  const unsubscribe = onToasterRequest(request)
  expect(request).not.toHaveBeenCalled()

  toast.error('one')
  expect(request).toHaveBeenCalledTimes(1)
  expect(display).not.toHaveBeenCalled()

  onToasterMounted(display)
  toast.info('two')
  await expect
    .poll(() => display.mock.calls)
    .toEqual([
      ['error', 'one'],
      ['info', 'two'],
    ])
  unsubscribe()

  const lateRequest = vi.fn<() => void>()
  onToasterRequest(lateRequest)()
  expect(lateRequest).toHaveBeenCalledTimes(1)
})
