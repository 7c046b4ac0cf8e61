import { expect, it, vi } from 'vitest'
import { toast, toasterMounted, whenToastWanted } from './toast.ts'

it('asks for the toaster with the first notice and says it once the toaster stands', async () => {
  const want = vi.fn<() => void>()
  const say = vi.fn<(kind: string, text: string) => void>()
  const forget = whenToastWanted(want)
  expect(want).not.toHaveBeenCalled()

  toast.error('one')
  expect(want).toHaveBeenCalledTimes(1)
  expect(say).not.toHaveBeenCalled()

  toasterMounted(say)
  toast.info('two')
  await vi.waitFor(() =>
    expect(say.mock.calls).toEqual([
      ['error', 'one'],
      ['info', 'two'],
    ]),
  )
  forget()

  const late = vi.fn<() => void>()
  whenToastWanted(late)()
  expect(late).toHaveBeenCalledTimes(1)
})
