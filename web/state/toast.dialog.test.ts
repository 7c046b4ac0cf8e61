import { expect, it, vi } from 'vitest'
import { toast } from './toast.ts'
import { openPlace } from '../ui/dialog-failures.ts'

it('a failure is shown in the topmost open dialog, until a success', () => {
  const [below, top] = [vi.fn<(text: string | null) => void>(), vi.fn<(text: string | null) => void>()]
  const closeBelow = openPlace(below)
  const closeTop = openPlace(top)
  toast.error('one')
  closeTop()
  toast.error('two')
  toast.success('done')
  closeBelow()
  toast.error('three')
  expect(top.mock.calls).toEqual([['one']])
  expect(below.mock.calls).toEqual([['two'], [null]])
})
