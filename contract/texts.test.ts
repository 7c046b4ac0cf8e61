import { expect, it } from 'vitest'
import { isStorable, labelForm } from './texts.ts'

it('labels are single lines without invisible characters except joiners', () => {
  for (const label of ['a', ' мой телефон ', '店 1', '👨‍👩‍👧', 'می‌خواهم', 'x'.repeat(1000)])
    expect(labelForm.test(label), JSON.stringify(label)).toBe(true)
  for (const label of [
    '',
    '   ',
    'a\nb',
    'a\u0000',
    'a\u0085b',
    'a\u202eb',
    'a\u2066b',
    'a\u200fb',
    '\ufeffa',
    'a\u200b',
  ])
    expect(labelForm.test(label), JSON.stringify(label)).toBe(false)
})

it('a storable text has neither NUL nor half of a surrogate pair', () => {
  expect(['', 'a\u0001', '👍', '\u202e'].map(isStorable)).toEqual([true, true, true, true])
  expect(['\0', 'a\ud83d', '\udc4db'].map(isStorable)).toEqual([false, false, false])
})
