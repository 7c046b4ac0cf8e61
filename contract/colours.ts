/**
 * The colours that follow from a shop's accent, and their contrast by WCAG 2.2. The desk shows both while the
 * operator chooses; the server refuses an accent below the bounds and serves the style sheet. The neutral
 * colours are those of web/ui/styles/tokens.css, which a test compares.
 */

export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]
/** `#rrggbb`, in lower case. */
export type Colour = `#${string}`
export type Accent = Readonly<Record<Theme, string>>

export const isColour = (text: string): text is Colour => /^#[0-9a-f]{6}$/.test(text)

interface Neutral {
  surfaces: Readonly<Record<'ground' | 'surface' | 'raised', Colour>>
  ink: Colour
}

export const neutral: Readonly<Record<Theme, Neutral>> = {
  light: { surfaces: { ground: '#f4f3ef', surface: '#ffffff', raised: '#fbfaf7' }, ink: '#14171a' },
  dark: { surfaces: { ground: '#101215', surface: '#171a1f', raised: '#1d2127' }, ink: '#ecebe6' },
}
/** The surfaces that are dark in both themes. */
export const asphalts: readonly Colour[] = ['#171a1f', '#1d2127']
/** Text on the accent is one of these two. */
export const textOnAccent: readonly Colour[] = ['#14171a', '#ffffff']

/** The program's own accent. */
export const ownAccent = { light: '#ffc21a', dark: '#ffc83d' } as const satisfies Accent

export const isOwnAccent = (accent: Accent) => themes.every((theme) => accent[theme] === ownAccent[theme])

/** The tokens of one theme that follow from the accent, by their names in CSS without the dashes. */
export interface AccentTokens {
  /** The fill of buttons. */
  paint: string
  'paint-hover': string
  'on-paint': string
  /** Text and icons on the surfaces. */
  'paint-text': string
  /** Elements that alone mark a state: the ring of a selected card, a checked box. */
  'paint-edge': string
  'paint-wash': string
  /** Text, icons and the focus ring on the dark surfaces. */
  'asphalt-paint': string
}

/** The program's own tokens, chosen by eye. */
const ownTokens: Readonly<Record<Theme, AccentTokens>> = {
  light: {
    paint: ownAccent.light,
    'paint-hover': '#ffb300',
    'on-paint': '#14171a',
    'paint-text': '#8a5b00',
    'paint-edge': '#a87700',
    'paint-wash': '#fff3d0',
    'asphalt-paint': '#ffc83d',
  },
  dark: {
    paint: ownAccent.dark,
    'paint-hover': '#ffd566',
    'on-paint': '#14171a',
    'paint-text': '#ffc83d',
    'paint-edge': '#ffc83d',
    'paint-wash': '#2b2515',
    'asphalt-paint': '#ffc83d',
  },
}

export const textContrast = 4.5
export const componentContrast = 3
/**
 * WCAG requires no contrast for the fill of a button with text, since the text shows where the button is
 * (Understanding 1.4.11). Below this bound the fill nevertheless looks like the page, and the button like
 * bare text.
 */
export const fillContrast = 1.3

type Rgb = readonly [number, number, number]

const partsOf = (colour: string): Rgb => {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16) / 255
  return [part(1), part(3), part(5)]
}

/** From sRGB to linear light, and back (IEC 61966-2-1). */
const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const encoded = (part: number) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

const hexOf = (parts: Rgb): Colour => {
  const byte = (part: number) =>
    Math.round(Math.min(Math.max(part, 0), 1) * 255)
      .toString(16)
      .padStart(2, '0')
  return `#${parts.map(byte).join('')}`
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, relative luminance). */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [one, other]
    .map((colour) => {
      const [red, green, blue] = partsOf(colour)
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    })
    .toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

/** A colour in Oklab (Björn Ottosson, 2020), in which equal steps of lightness look equal. */
function oklab(colour: string): Rgb {
  const [r, g, b] = partsOf(colour).map(linear) as unknown as Rgb
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function linearOf([lightness, a, b]: Rgb): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** The colour with this lightness and the hue of another one, as strong as sRGB can show it. */
function withLightness([, a, b]: Rgb, lightness: number): Colour {
  for (let strength = 1; strength > 0; strength -= 0.02) {
    const parts = linearOf([lightness, a * strength, b * strength])
    if (parts.every((part) => part >= -0.0005 && part <= 1.0005))
      return hexOf(parts.map(encoded) as unknown as Rgb)
  }
  return hexOf(Array(3).fill(encoded(lightness ** 3)) as unknown as Rgb)
}

const step = 0.005

/** The colour nearest in lightness, of the same hue, that is as wanted; black or white at the ends. */
function nearest(colour: string, isWanted: (candidate: string) => boolean): string {
  if (isWanted(colour)) return colour
  const own = oklab(colour)
  for (let distance = step; distance <= 1; distance += step) {
    for (const lightness of [own[0] - distance, own[0] + distance]) {
      if (lightness < 0 || lightness > 1) continue
      const candidate = withLightness(own, lightness)
      if (isWanted(candidate)) return candidate
    }
  }
  throw new Error(`no colour near ${colour} is as wanted`)
}

const mixed = (one: string, other: string, share: number): Colour => {
  const [front, back] = [partsOf(one), partsOf(other)]
  return hexOf(front.map((part, at) => part * share + (back[at] ?? 0) * (1 - share)) as unknown as Rgb)
}

const readableOn = (backs: readonly string[], least: number) => (colour: string) =>
  backs.every((back) => contrast(colour, back) >= least)

/** The colours of a theme that follow from its accent. */
export function tokensOf(accent: string, theme: Theme): AccentTokens {
  if (accent === ownAccent[theme]) return ownTokens[theme]
  const { surfaces, ink } = neutral[theme]
  const backs = Object.values(surfaces)
  const [dark = '', light = ''] = textOnAccent
  const onPaint = contrast(dark, accent) >= contrast(light, accent) ? dark : light
  const wash = [0.16, 0.08, 0.04].map((share) => mixed(accent, surfaces.surface, share))
  return {
    paint: accent,
    // Away from the text, so that its contrast only grows.
    'paint-hover': mixed(onPaint === dark ? '#ffffff' : '#000000', accent, 0.14),
    'on-paint': onPaint,
    'paint-text': nearest(accent, readableOn(backs, textContrast)),
    'paint-edge': nearest(accent, readableOn(backs, componentContrast)),
    'paint-wash': wash.find((each) => contrast(ink, each) >= textContrast) ?? surfaces.surface,
    'asphalt-paint': nearest(accent, readableOn(asphalts, textContrast)),
  }
}

export interface Pair {
  /** Where the two meet. */
  name: 'text' | 'hover' | 'fill' | 'words' | 'edge' | 'wash' | 'focus'
  front: string
  back: string
  ratio: number
  /** The least that is accepted. */
  least: number
}

/** Every pair of colours that an accent makes, each with the least contrast of its surfaces. */
export function pairsOf(accent: string, theme: Theme): Pair[] {
  const tokens = tokensOf(accent, theme)
  const { surfaces, ink } = neutral[theme]
  const pair = (name: Pair['name'], front: string, backs: readonly string[], least: number): Pair => {
    const [worst] = backs
      .map((back) => ({ back, ratio: contrast(front, back) }))
      .toSorted((one, other) => one.ratio - other.ratio)
    if (worst === undefined) throw new Error(`${name} has no surface`)
    return { name, front, least, ...worst }
  }
  const all = Object.values(surfaces)
  return [
    pair('text', tokens['on-paint'], [tokens.paint], textContrast),
    pair('hover', tokens['on-paint'], [tokens['paint-hover']], textContrast),
    pair('fill', tokens.paint, all, fillContrast),
    pair('words', tokens['paint-text'], all, textContrast),
    pair('edge', tokens['paint-edge'], all, componentContrast),
    pair('wash', ink, [tokens['paint-wash']], textContrast),
    pair('focus', tokens['asphalt-paint'], asphalts, componentContrast),
  ]
}

const fails = ({ ratio, least }: Pair) => ratio < least

/** The first pair below its bound; null: the accent may be used. */
export const failingPair = (accent: string, theme: Theme): Pair | null =>
  pairsOf(accent, theme).find(fails) ?? null

/** The colour of the same hue, nearest in lightness, with which every pair has its contrast. */
export const nearestAccent = (accent: string, theme: Theme): string =>
  nearest(accent, (candidate) => failingPair(candidate, theme) === null)

/**
 * The style sheet that replaces the program's accent, for a page whose other tokens are those of tokens.css.
 */
export function accentSheet(accent: Accent): string {
  const [light, dark] = [tokensOf(accent.light, 'light'), tokensOf(accent.dark, 'dark')]
  const lines = (Object.keys(light) as (keyof AccentTokens)[]).map(
    (token) => `  --${token}: light-dark(${light[token]}, ${dark[token]});`,
  )
  // Stronger than `:root`, so that the order of the style sheets does not matter.
  return `:root:root {\n${lines.join('\n')}\n}\n`
}

/** Where the shop serves its style sheet and its pictures. */
export const brandPath = '/brand/'

/**
 * The name of the style sheet of an accent, such as `0a5cff-6ea0ff.css`: the same colours are the same file.
 */
export const accentFile = ({ light, dark }: Accent): string => `${light.slice(1)}-${dark.slice(1)}.css`

/** The accent with such a name; null: there is none, or it may not be used. */
export function accentOfFile(file: string): Accent | null {
  const [, light = '', dark = ''] = /^([0-9a-f]{6})-([0-9a-f]{6})\.css$/.exec(file) ?? []
  if (light === '') return null
  const accent = { light: `#${light}`, dark: `#${dark}` }
  return themes.every((theme) => failingPair(accent[theme], theme) === null) ? accent : null
}
