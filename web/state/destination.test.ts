import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepDestination, takeDestination } from './destination.ts'

beforeEach(() => sessionStorage.clear())
afterEach(() => vi.useRealTimers())

const keep = (address: string) => keepDestination(new URL(address, 'https://shop.example.net'))

describe('the destination of a visitor', () => {
  it('is taken once, with what the address asked for', () => {
    keep('/purchase?amount=300&pool=mobile')
    expect([takeDestination(), takeDestination()]).toEqual(['/purchase?amount=300&pool=mobile', '/account'])
    keep('/account?tab=statistic')
    expect(takeDestination()).toBe('/account?tab=statistic')
  })

  it('is a page that needs an account, and no other', () => {
    for (const address of ['/', '/login', '/accounts', '//evil.example/account', '/rules?/account'])
      keep(address)
    expect(takeDestination()).toBe('/account')
    for (const path of ['https://evil.example/account', '//evil.example', '/\\evil.example', 7, null]) {
      sessionStorage.setItem('destination', JSON.stringify({ path, at: Date.now() }))
      expect(takeDestination()).toBe('/account')
    }
    sessionStorage.setItem('destination', '{"path":')
    expect(takeDestination()).toBe('/account')
  })

  it('is forgotten after half an hour', () => {
    vi.useFakeTimers()
    keep('/purchase?amount=2')
    vi.advanceTimersByTime(31 * 60_000)
    expect(takeDestination()).toBe('/account')
  })
})
