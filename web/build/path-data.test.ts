import { describe, expect, it } from 'vitest'
import { wholePath } from './path-data.ts'

describe('wholePath', () => {
  it('rounds points, absolute and relative, without adding errors up', () => {
    expect(wholePath('M0.4 0.4L10.6 9.5')).toBe('M0 0L11 10')
    // Ten steps of 0.4 lead to 4, not to 0.
    expect(wholePath(`M0 0${'h.4'.repeat(10)}`)).toBe('M0 0h1h1h1h1')
    expect(wholePath('m1.2 1.2 1.4-.6zl2.4 0')).toBe('m1 1 2 0zl3 0')
    expect(wholePath('M0 0c.3.3.6.6 4.4 4.4')).toBe('M0 0c0 0 1 1 4 4')
  })

  it('rounds to a coarser grid', () => {
    expect(wholePath('M1.2 2.9l3 3', 2)).toBe('M2 2l2 4')
  })

  it('rounds a small drawing to a finer grid, without errors of binary fractions', () => {
    expect(wholePath('M.123.28l.31.3', 0.1)).toBe('M0.1 0.3l0.3 0.3')
    expect(wholePath('M1.3 2.6l.4 3', 0.5)).toBe('M1.5 2.5l0 3')
  })

  it('leaves arcs as they are', () => {
    const arc = 'M0 0a1.5 1.5 0 013.25 3.25z'
    expect(wholePath(arc)).toBe(arc)
  })
})
