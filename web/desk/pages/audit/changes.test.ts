import { expect, it } from 'vitest'
import { changesIn } from './changes.ts'

it('an entry shows only the fields that differ', () => {
  expect(changesIn({ role: 'support', name: 'ann' }, { role: 'owner', name: 'ann' })).toEqual([
    { field: 'role', before: 'support', after: 'owner' },
  ])
})

it('an entry shows what was added and what was removed', () => {
  expect(changesIn({ tags: ['a'] }, { bytes: '5' })).toEqual([
    { field: 'tags', before: 'a', after: '∅' },
    { field: 'bytes', before: null, after: '5' },
  ])
  expect(changesIn(null, { name: 'x' })).toEqual([{ field: 'name', before: null, after: 'x' }])
})

it('an entry shows composite values in words, without the idempotency key', () => {
  const after = { key: 'c303', input: { pool: 'mobile', bytes: '5' }, codes: ['A', 'B'], until: null }
  expect(changesIn(null, after).map(({ field, after: text }) => [field, text])).toEqual([
    ['input', 'pool: mobile, bytes: 5'],
    ['codes', 'A, B'],
    ['until', 'null'],
  ])
})

it('an entry shows a change that is not an object unchanged, and nothing where the entry has no change', () => {
  expect(changesIn(1, 2)).toEqual([{ field: '', before: '1', after: '2' }])
  expect(changesIn(null, null)).toEqual([])
})
