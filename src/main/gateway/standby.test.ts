import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Standby } from './standby.ts'

const used = (busy: readonly number[], files: readonly number[] = []) =>
  busy.map((share, index) => ({ busy: share, files: files[index] ?? 0 }))

const looks = (standby: Standby, times: number, busy: number[], idleCores: number) => {
  let count = 0
  for (let at = 0; at < times; at++) count = standby.look(used(busy), idleCores)
  return count
}

describe('workers that accept', () => {
  it('are one while it has capacity left, whatever the load of the others', () => {
    expect(looks(new Standby(), 100, [0.85, 0, 0], 2)).toBe(1)
  })

  it('become more, one after the other, while those that accept are busy and processors are idle', () => {
    const standby = new Standby()
    expect(looks(standby, 11, [1, 0, 0], 1)).toBe(1)
    expect(looks(standby, 1, [1, 0, 0], 1)).toBe(2)
    expect(looks(standby, 30, [1, 0.6, 0], 1)).toBe(2)
    expect(looks(standby, 12, [1, 0.95, 0], 1)).toBe(3)
    expect(looks(standby, 30, [1, 1, 1], 1)).toBe(3)
  })

  it('stay one where no processor is idle: another one would only take time from those that run', () => {
    expect(looks(new Standby(), 100, [1, 0], 0.4)).toBe(1)
  })

  it('do not follow bursts of less than three seconds', () => {
    const standby = new Standby()
    for (let at = 0; at < 50; at++) {
      expect(looks(standby, 11, [1, 0], 1)).toBe(1)
      expect(looks(standby, 1, [0.2, 0], 1)).toBe(1)
    }
  })

  it('become fewer after ten seconds in which fewer would be at most half busy', () => {
    const standby = new Standby()
    looks(standby, 12, [1, 0], 1)
    expect(looks(standby, 39, [0.2, 0.2], 1)).toBe(2)
    expect(looks(standby, 1, [0.3, 0.3], 1)).toBe(2)
    expect(looks(standby, 40, [0.2, 0.2], 1)).toBe(1)
  })

  it('become more at once, busy or not, when those that accept have opened half of their files', () => {
    const standby = new Standby()
    expect(standby.look(used([0.1, 0, 0], [0.49, 0, 0]), 0)).toBe(1)
    expect(standby.look(used([0.1, 0, 0], [0.5, 0, 0]), 0)).toBe(2)
    expect(standby.look(used([0.1, 0, 0], [0.6, 0.4, 0]), 0)).toBe(2)
    expect(standby.look(used([0.1, 0, 0], [0.6, 0.5, 0]), 0)).toBe(3)
    // There are fewer only when the files of all are few.
    const calm = (files: number[]) => {
      let count = 0
      for (let at = 0; at < 40; at++) count = standby.look(used([0, 0, 0], files), 0)
      return count
    }
    expect(calm([0.3, 0.2, 0])).toBe(3)
    expect(calm([0.3, 0.1, 0])).toBe(2)
    expect(calm([0.2, 0.1, 0])).toBe(2)
    expect(calm([0.1, 0.1, 0])).toBe(1)
  })

  it('are at least one and at most the running ones, and their number is restored after a worker has died', () => {
    const standby = new Standby()
    looks(standby, 12, [1, 0], 1)
    expect(standby.look(used([0.7]), 1)).toBe(1)
    expect(standby.look([], 1)).toBe(1)
    expect(standby.look(used([0.7, 0.7]), 1)).toBe(2)
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const look = fc.tuple(fc.array(share, { maxLength: 4 }), fc.double({ min: 0, max: 8, noNaN: true }))
    fc.assert(
      fc.property(fc.array(look, { maxLength: 200 }), (all) => {
        const one = new Standby()
        for (const [busy, idle] of all) {
          const count = one.look(used(busy), idle)
          expect(count).toBeGreaterThanOrEqual(1)
          expect(count).toBeLessThanOrEqual(Math.max(1, busy.length))
        }
      }),
    )
  })
})
