import { afterEach, expect, it } from 'vitest'
import { readStored, removeStored, viewKey, writeStored } from './storage.ts'

afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

it('the storage of a tab with a view is separate: the browser’s own session is unchanged', () => {
  writeStored('user', 'me')
  sessionStorage.setItem(viewKey, '{}')
  expect(readStored('user')).toBeNull()
  writeStored('user', 'the customer')
  expect(readStored('user')).toBe('the customer')
  removeStored('user')
  expect([localStorage.getItem('user'), sessionStorage.getItem('user')]).toEqual(['me', null])
  sessionStorage.clear()
  expect(readStored('user')).toBe('me')
})
