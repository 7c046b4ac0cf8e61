/**
 * The size limits of pages, as browsers receive them: in brotli, which the server sends to every browser of
 * today from files that are compressed when the pages are built. The build fails when a page exceeds its
 * limit.
 */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Frame } from '#contract/frames/frames'
import { type Language, languages } from '#contract/language'
import type { PageRenderer } from '#contract/page-renderer'
import { entry, type Files, filesOf, login, type Manifest, reads, starter, without } from './manifest.ts'

/** kB of 1000 bytes. */
export const budgets = {
  publicJs: 110,
  loginJs: 110,
  /**
   * The guides are texts of many pages; names and advice of the gateway's refusals stand in one file of
   * texts.
   */
  docsJs: 138,
  publicCss: 6,
  overviewJs: 122,
  placeJs: 170,
  /** The flags of all countries; in gzip they are under it too. */
  flags: 32,
  /** All four together. */
  fonts: 60,
  deskJs: 160,
  deskPageJs: 60,
} as const

export interface Size {
  what: string
  kb: number
  limitKb: number
}

type FrameSources = PageRenderer['framePages'][Frame]

interface PageSources {
  path: string
  source: string
  texts: readonly string[]
}

const textFiles = (language: string, names: readonly string[]) =>
  names.map((name) => `locales/${language}/${name}.json`)

/** The size of compressed files together. */
function sizer(folder: string) {
  const sizeOf = (file: string) => statSync(path.join(folder, `${file}.br`)).size
  return (files: readonly string[]) => files.reduce((sum, file) => sum + sizeOf(file), 0) / 1000
}

/** The sizes of every public page in each language. */
export function measure(folder: string, manifest: Manifest, pages: readonly PageSources[]): Size[] {
  const kb = sizer(folder)
  return pages.flatMap(({ path: page, source, texts }) =>
    languages.flatMap((language): Size[] => {
      const files = filesOf(manifest, [
        starter,
        entry,
        reads,
        source,
        ...textFiles(language, ['header', ...texts]),
      ])
      const what = `${page} in ${language}`
      return [
        {
          what: `scripts of ${what}`,
          kb: kb(files.js),
          limitKb: page === '/docs' ? budgets.docsJs : budgets.publicJs,
        },
        { what: `styles of ${what}`, kb: kb(files.css), limitKb: budgets.publicCss },
      ]
    }),
  )
}

const limitOf = (frame: Frame) =>
  frame === '/login' ? budgets.loginJs : frame === '/account' ? budgets.overviewJs : budgets.placeJs

/** The files of a frame of a private page and of what it will contain. */
function filesOfFrame(manifest: Manifest, frame: FrameSources, language: Language): Files {
  const { source, parts = [], texts } = frame
  const base = source === login ? [starter, entry] : [starter, entry, reads]
  return filesOf(manifest, [...base, source, ...parts, ...textFiles(language, ['header', ...texts])])
}

type Frames = Readonly<Partial<Record<Frame, FrameSources>>>

const framesIn = (given: Frames) => Object.entries(given) as [Frame, FrameSources][]

/** The sizes of the page of signing in and of each tab of the account. */
export function measureFrames(folder: string, manifest: Manifest, given: Frames): Size[] {
  const kb = sizer(folder)
  return framesIn(given).flatMap(([frame, sources]) =>
    languages.map((language): Size => ({
      what: `scripts of ${frame} in ${language}`,
      kb: kb(filesOfFrame(manifest, sources, language).js),
      limitKb: limitOf(frame),
    })),
  )
}

/** The most requests of a frame for its document, its scripts, style sheets, fonts and its icon. */
export const mostFiles = (frame: Frame): number => (frame === '/login' || frame === '/account' ? 21 : 35)
const fonts = 4

/** How many files a frame of a private page requests at once; its reads come on top. */
export function countFiles(manifest: Manifest, frame: FrameSources, language: Language): number {
  const { js, css } = filesOfFrame(manifest, frame, language)
  return 1 + js.length + css.length + fonts + 1
}

/** The size of the flags, a file beside the chunks. */
export function measureFlags(folder: string): Size[] {
  const files = readdirSync(path.join(folder, 'assets'))
    .filter((file) => /^flags-.*\.svg$/.test(file))
    .map((file) => `assets/${file}`)
  return [{ what: 'flags', kb: sizer(folder)(files), limitKb: budgets.flags }]
}

/** The size of the fonts, whose files are compressed already. */
export function measureFonts(folder: string): Size[] {
  const fonts = readdirSync(path.join(folder, 'assets')).filter((file) => file.endsWith('.woff2'))
  const bytes = fonts.reduce((sum, file) => sum + statSync(path.join(folder, 'assets', file)).size, 0)
  return [{ what: 'fonts', kb: bytes / 1000, limitKb: budgets.fonts }]
}

/** The page that opens after a sign-in. */
const firstDeskPage = 'pages/today/today.tsx'

/** The sizes of the desk's first page in each language, and of what each further page adds. */
export function measureDesk(folder: string, manifest: Manifest): Size[] {
  const kb = sizer(folder)
  const first = languages.map((language) =>
    filesOf(manifest, [
      entry,
      firstDeskPage,
      ...deskTexts.map((name) => `../locales/${language}/${name}.json`),
    ]),
  )
  const loaded: Files = first[0] ?? { js: [], css: [] }
  const others = (manifest[entry]?.dynamicImports ?? []).filter(
    (source) => source.endsWith('.tsx') && source !== firstDeskPage,
  )
  return [
    ...first.map((files, index) => ({
      what: `scripts of the desk’s first page in ${languages[index]}`,
      kb: kb(files.js),
      limitKb: budgets.deskJs,
    })),
    ...others.map((source) => ({
      what: `scripts that the desk’s ${source} adds`,
      kb: kb(without(filesOf(manifest, [source]), loaded).js),
      limitKb: budgets.deskPageJs,
    })),
  ]
}

const deskTexts = ['header', 'desk', 'deskPages']

export const isOverLimit = ({ kb, limitKb }: Size) => kb > limitKb

export const describeSize = ({ what, kb, limitKb }: Size) =>
  `${kb.toFixed(1).padStart(6)} of ${String(limitKb).padStart(3)} kB  ${what}`
