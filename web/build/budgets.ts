/**
 * The size limits of pages, as browsers receive them: in brotli, which the server sends to every browser of
 * today from files that are compressed when the pages are built. The build fails when a page exceeds its
 * limit.
 */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Place, placeNames } from '#contract/account-tabs'
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
  accountJs: 158,
  panelJs: 170,
  /** The flags of all countries; in gzip they are under it too. */
  flags: 32,
  placeJs: 26,
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

const account = 'account/page/account.tsx'
const placeOf = (place: Place) => `account/places/${place}.ts`

const textFiles = (language: string, names: readonly string[]) =>
  names.map((name) => `locales/${language}/${name}.json`)

/** The size of compressed files together. */
function sizer(folder: string) {
  const sizeOf = (file: string) => statSync(path.join(folder, `${file}.br`)).size
  return (files: readonly string[]) => files.reduce((sum, file) => sum + sizeOf(file), 0) / 1000
}

/**
 * The sizes of every public page in each language, of the first tab of the account, and of what each place
 * adds.
 */
export function measure(folder: string, manifest: Manifest, pages: readonly PageSources[]): Size[] {
  const kb = sizer(folder)
  const publicSizes = pages.flatMap(({ path: page, source, texts }) =>
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
  const accountFiles = (language: Language, texts: readonly string[], ...more: string[]) =>
    filesOf(manifest, [
      entry,
      reads,
      account,
      ...more,
      ...textFiles(language, ['header', 'userBtns', 'userPanel', ...texts]),
    ])
  const firstTab = languages.map((language): Size => ({
    what: `scripts of the account’s first tab in ${language}`,
    kb: kb(accountFiles(language, ['requests', 'gatewayRefusals'], placeOf('overview')).js),
    limitKb: budgets.accountJs,
  }))
  const generator = languages.map((language): Size => ({
    what: `scripts of the generator in ${language}`,
    kb: kb(
      accountFiles(language, ['generator'], 'account/places/generator.ts', 'account/generator/trial.tsx').js,
    ),
    limitKb: budgets.panelJs,
  }))
  const places = placeNames.map((place): Size => {
    // The account fetches them once its first tab is on the screen.
    const loaded = accountFiles('ru', [], 'account/page/tab-components.ts')
    const added = without(filesOf(manifest, [placeOf(place)]), loaded)
    return { what: `scripts that ${placeOf(place)} adds`, kb: kb(added.js), limitKb: budgets.placeJs }
  })
  return [...publicSizes, ...firstTab, ...generator, ...places]
}

/** The sizes of the page of signing in. */
export function measureLogin(folder: string, manifest: Manifest): Size[] {
  const kb = sizer(folder)
  return languages.map((language): Size => {
    const texts = textFiles(language, ['header', 'auth', 'factors'])
    const files = filesOf(manifest, [starter, entry, login, ...texts])
    return { what: `scripts of /login in ${language}`, kb: kb(files.js), limitKb: budgets.loginJs }
  })
}

/** The most requests of a frame for its document, its scripts, style sheets, fonts and its icon. */
export const mostFiles = (frame: Frame): number => (frame === '/login' ? 22 : 54)
const fonts = 4

/** How many files a frame of a private page requests at once; its reads come on top. */
export function countFiles(manifest: Manifest, frame: FrameSources, language: Language): number {
  const { source, parts = [], texts } = frame
  const base = source === login ? [entry] : [entry, reads]
  const { js, css } = filesOf(manifest, [
    starter,
    ...base,
    source,
    ...parts,
    ...textFiles(language, ['header', ...texts]),
  ])
  return 1 + js.length + css.length + fonts + 1
}

/** The size of the flags, a file beside the chunks. */
export function measureFlags(folder: string): Size[] {
  const files = readdirSync(path.join(folder, 'assets'))
    .filter((file) => /^flags-.*\.svg$/.test(file))
    .map((file) => `assets/${file}`)
  return [{ what: 'flags', kb: sizer(folder)(files), limitKb: budgets.flags }]
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
