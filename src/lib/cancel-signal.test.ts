import { afterEach, describe, expect, it, vi } from 'vitest'
import { Cancellation } from './cancel-signal.ts'

afterEach(() => vi.useRealTimers())

describe('a cancellation', () => {
  it('calls its listeners once, without those that were removed', () => {
    const cancellation = new Cancellation()
    const calls: string[] = []
    const removed = () => calls.push('removed')
    cancellation.addEventListener('abort', () => calls.push('kept'))
    cancellation.addEventListener('abort', removed)
    cancellation.removeEventListener('abort', removed)
    expect(cancellation.aborted).toBe(false)
    cancellation.abort()
    cancellation.abort()
    expect(cancellation.aborted).toBe(true)
    expect(calls).toEqual(['kept'])
  })

  it('with a time limit is cancelled at that time and not earlier', () => {
    vi.useFakeTimers()
    const cancellation = Cancellation.after(1000)
    const aborted = vi.fn<() => void>()
    cancellation.addEventListener('abort', aborted)
    vi.advanceTimersByTime(999)
    expect(cancellation.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(cancellation.aborted).toBe(true)
    expect(aborted).toHaveBeenCalledOnce()
  })
})
