import { afterEach, expect, it, vi } from 'vitest'
import { loadCode } from './code.ts'

vi.mock('../connection.ts', () => ({
  serverAnswers: async () => true,
  untilServerAnswers: async () => undefined,
}))

afterEach(() => vi.unstubAllGlobals())

it('code that does not load fails plainly in a browser without storage', async () => {
  const deny = () => {
    throw new DOMException('denied', 'SecurityError')
  }
  vi.stubGlobal('sessionStorage', { getItem: deny, setItem: deny })
  const missing = new TypeError('no such file')
  await expect(loadCode(() => Promise.reject(missing))).rejects.toBe(missing)
})
