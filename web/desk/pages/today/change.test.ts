import { describe, expect, it } from 'vitest'
import { changeOf, sharesOf } from './change.ts'

describe('the change of a figure', () => {
  it.each([
    ['150', '100', 0.5],
    ['50', '100', -0.5],
    ['0', '100', -1],
    ['100', '100', 0],
    // A margin may be below zero.
    ['100', '-100', 2],
    ['-200', '-100', -1],
    ['5', '0', null],
    ['0', '0', null],
  ])('from %s today and %s before is %s', (today, before, change) =>
    expect(changeOf({ today, before })).toBe(change),
  )
})

describe('the hours of a day', () => {
  it('are 24 shares of the highest', () => {
    const shares = sharesOf(['5', '10', '0'])
    expect(shares).toHaveLength(24)
    expect(shares.slice(0, 4)).toEqual([0.5, 1, 0, 0])
  })

  it('are empty on a day without anything', () => {
    expect(new Set(sharesOf(['0', '0']))).toEqual(new Set([0]))
    expect(new Set(sharesOf([]))).toEqual(new Set([0]))
  })
})
