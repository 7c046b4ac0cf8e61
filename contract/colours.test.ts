import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accentFile,
  accentOfFile,
  accentSheet,
  contrast,
  failingPair,
  isColour,
  nearestAccent,
  ownAccent,
  pairsOf,
  themes,
} from './colours.ts'

const byte = fc.integer({ min: 0, max: 255 })
const colour = fc
  .tuple(byte, byte, byte)
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`)
const theme = fc.constantFrom(...themes)

describe('contrast', () => {
  // The ratios of the definition (WCAG 2.2) and of common greys: 1, 21, and #767676, the lightest grey for
  // text on white.
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#0000ff', '#ffffff', 8.59],
  ])('of %s on %s is %d', (front, back, ratio) => {
    expect(contrast(front, back)).toBeCloseTo(ratio, 2)
    expect(contrast(back, front)).toBeCloseTo(ratio, 2)
  })
})

describe('an accent', () => {
  it.each(themes)('of the program meets every bound, %s', (each) => {
    expect(pairsOf(ownAccent[each], each).filter(({ ratio, least }) => ratio < least)).toEqual([])
  })

  it('of any colour has a nearest one that meets every bound: itself, if it meets them', () => {
    fc.assert(
      fc.property(colour, theme, (accent, each) => {
        const near = nearestAccent(accent, each)
        expect(isColour(near)).toBe(true)
        expect(failingPair(near, each)).toBeNull()
        if (failingPair(accent, each) === null) expect(near).toBe(accent)
      }),
      { numRuns: 150 },
    )
  })

  it('fails for the text or the fill alone: the other colours are adjusted until they are readable', () => {
    fc.assert(
      fc.property(colour, theme, (accent, each) => {
        const failed = pairsOf(accent, each).filter(({ ratio, least }) => ratio < least)
        for (const { name } of failed) expect(['text', 'hover', 'fill']).toContain(name)
      }),
      { numRuns: 150 },
    )
  })

  it.each([
    ['#ffffff', 'light', 'fill'],
    ['#f4f3ef', 'light', 'fill'],
    ['#15181c', 'dark', 'fill'],
    // Between the two: neither ink nor white can be read on it.
    ['#7a7a7a', 'light', 'text'],
  ] as const)('%s is refused in the %s theme for its %s', (accent, each, name) => {
    expect(failingPair(accent, each)?.name).toBe(name)
  })
})

describe('the file of an accent', () => {
  it('has its name, and no other names are read', () => {
    const accent = { light: '#0a5cff', dark: '#6ea0ff' }
    expect(accentOfFile(accentFile(accent))).toEqual(accent)
    for (const file of ['0a5cff-6ea0ff', '0A5CFF-6ea0ff.css', '0a5cff-6ea0ff.css;', 'ffffff-6ea0ff.css', ''])
      expect(accentOfFile(file)).toBeNull()
  })

  it('holds nothing but tokens and colours', () => {
    expect(accentSheet({ light: '#0a5cff', dark: '#6ea0ff' })).toMatch(
      /^:root:root \{\n( {2}--[a-z-]+: light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\);\n){7}\}\n$/,
    )
  })
})
