import { describe, expect, it } from 'vitest'
import {
  asphalts,
  contrast,
  neutral,
  ownAccent,
  textOnAccent,
  type Theme,
  themes,
  tokensOf,
} from '#contract/colours'
import css from './tokens.css?raw'

/** The colour of a token in a theme, as `#rrggbb`. */
function colour(token: string, theme: Theme): string {
  const value = css.match(new RegExp(`--${token}: ([^;]+);`))?.[1] ?? ''
  const pair = value.match(/light-dark\((#\w{6}), (#\w{6})\)/)
  const found = pair === null ? value : theme === 'light' ? pair[1] : pair[2]
  if (found === undefined || !/^#[0-9a-f]{6}$/i.test(found)) throw new Error(`no colour --${token}`)
  return found
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
const controls: [string, string][] = ['edge', 'paint-edge'].flatMap((token) =>
  grounds.map((ground): [string, string] => [token, ground]),
)

describe.each(themes)('colours, %s', (theme) => {
  it.each(text)('%s has the contrast of text on %s', (front, back) => {
    expect(contrast(colour(front, theme), colour(back, theme))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(controls)('%s has the contrast of a control on %s', (front, back) => {
    expect(contrast(colour(front, theme), colour(back, theme))).toBeGreaterThanOrEqual(3)
  })

  it('are those from which the contrast of a shop’s accent is computed', () => {
    const { surfaces, ink } = neutral[theme]
    for (const [name, value] of Object.entries(surfaces)) expect(colour(name, theme)).toBe(value)
    expect(colour('ink', theme)).toBe(ink)
    expect(colour('asphalt', theme)).toBe(asphalts[themes.indexOf(theme)])
    expect(textOnAccent).toContain(colour('on-paint', theme))
    for (const [name, value] of Object.entries(tokensOf(ownAccent[theme], theme)))
      expect([name, colour(name, theme)]).toEqual([name, value])
  })
})
