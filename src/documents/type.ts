/**
 * Sets text of any origin on a page: removes invisible characters, picks a font that has its letters, and
 * breaks it into lines. The file contains only glyph numbers, so a text cannot become anything else.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import * as fontkit from 'fontkit'

const require = createRequire(import.meta.url)

/** Onest has Latin and Cyrillic, and is the shop's own; DejaVu has further alphabets. */
const files = {
  regular: require.resolve('@expo-google-fonts/onest/400Regular/Onest_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/onest/600SemiBold/Onest_600SemiBold.ttf'),
  otherRegular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  otherBold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
} as const
export type Face = keyof typeof files

export interface Font {
  bytes: Buffer
  has: ReadonlySet<number>
}
export type Fonts = Record<Face, Font>

async function readFont(face: Face): Promise<Font> {
  const bytes = await readFile(files[face])
  const font = fontkit.create(bytes) as fontkit.Font
  return { bytes, has: new Set(font.characterSet) }
}

let known: Promise<Fonts> | undefined
/** The fonts; they are read once in the life of a process. */
export function fonts(): Promise<Fonts> {
  known ??= (async () => ({
    regular: await readFont('regular'),
    bold: await readFont('bold'),
    otherRegular: await readFont('otherRegular'),
    otherBold: await readFont('otherBold'),
  }))()
  return known
}

/** One line of visible characters: controls, marks of direction and unpaired surrogates are not. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .trim()

export interface Run {
  text: string
  face: Face
}

/** Replaces a character that no font has. */
const missing = '\u25a1'

/** Splits the text into runs of one font each. */
export function runsOf(text: string, weight: 'regular' | 'bold', all: Fonts): Run[] {
  const own: Face = weight
  const other: Face = weight === 'bold' ? 'otherBold' : 'otherRegular'
  const runs: Run[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const last = runs.at(-1)
    // Blanks and signs stay with what is before them: a text that is written from the right is set as a
    // whole.
    const faces = last?.face === other && !/[\p{L}\p{N}]/u.test(character) ? [other, own] : [own, other]
    const found = faces.find((face) => all[face].has.has(code))
    const piece = { text: found === undefined ? missing : character, face: found ?? other }
    if (last?.face === piece.face) last.text += piece.text
    else runs.push(piece)
  }
  return runs
}

export interface Setting {
  width: number
  mostLines: number
  measure: (text: string) => number
}

/**
 * Breaks the text into lines of at most this width. Cuts a word that is longer; the last line ends in an
 * ellipsis when text is left.
 */
export function linesOf(text: string, { width, mostLines, measure }: Setting): string[] {
  const lines: string[] = []
  let line = ''
  const words = clean(text).split(/ +/)
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (measure(longer) <= width) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (measure(line) > width && lines.length <= mostLines) {
      const head = fitting(line, width, measure)
      lines.push(head)
      line = line.slice(head.length)
    }
    if (lines.length > mostLines) break
  }
  lines.push(line)
  if (lines.length <= mostLines) return lines
  const last = lines[mostLines - 1] ?? ''
  return [...lines.slice(0, mostLines - 1), `${fitting(last, width - measure('…'), measure)}…`]
}

/** The beginning of a text that fits; at least one character. */
function fitting(text: string, width: number, measure: (text: string) => number): string {
  const characters = [...text]
  let [least, most] = [1, characters.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (measure(characters.slice(0, middle).join('')) <= width) least = middle
    else most = middle - 1
  }
  return characters.slice(0, least).join('')
}
