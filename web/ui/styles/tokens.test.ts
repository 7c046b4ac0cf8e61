import { describe, expect, it } from 'vitest'
import css from './tokens.css?raw'

type Theme = 'light' | 'dark'

/** The colour of a token in a theme, as `#rrggbb`. */
function colour(token: string, theme: Theme): string {
  const value = css.match(new RegExp(`--${token}: ([^;]+);`))?.[1] ?? ''
  const pair = value.match(/light-dark\((#\w{6}), (#\w{6})\)/)
  const found = pair === null ? value : theme === 'light' ? pair[1] : pair[2]
  if (found === undefined || !/^#[0-9a-f]{6}$/i.test(found)) throw new Error(`no colour --${token}`)
  return found
}

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

const grounds = ['ground', 'surface', 'raised']
const text: [string, string][] = [
  ...['ink', 'ink-quiet', 'paint-text', 'good', 'warning', 'bad'].flatMap((token): [string, string][] =>
    grounds.map((ground) => [token, ground]),
  ),
  ['on-paint', 'paint'],
  ['on-paint', 'paint-hover'],
  ['ink', 'paint-wash'],
  ['ink', 'bad-wash'],
  ['bad', 'bad-wash'],
  ['ground', 'ink'],
  ['on-asphalt', 'asphalt'],
  ['on-asphalt-quiet', 'asphalt'],
  ['asphalt-paint', 'asphalt'],
]
const controls: [string, string][] = grounds.map((ground) => ['edge', ground])

describe.each(['light', 'dark'] as const)('colours, %s', (theme) => {
  it.each(text)('%s has the contrast of text on %s', (front, back) => {
    expect(contrast(colour(front, theme), colour(back, theme))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(controls)('%s has the contrast of a control on %s', (front, back) => {
    expect(contrast(colour(front, theme), colour(back, theme))).toBeGreaterThanOrEqual(3)
  })
})
