/** The size limits of pages, gzipped. The build fails when a page exceeds its limit. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Language, languages } from '#contract/language'
import { entry, type Files, filesOf, type Manifest, starter, without } from './manifest.ts'

/** KiB. */
export const budgets = {
  publicJs: 138,
  loginJs: 137,
  /** The guides are texts of many pages. */
  docsJs: 151,
  publicCss: 6,
  accountJs: 177,
  /** The flags of all countries. */
  flags: 35,
  tabJs: 30,
  deskJs: 220,
  deskPageJs: 80,
} as const

export interface Size {
  what: string
  kib: number
  limitKib: number
}

interface PageSources {
  path: string
  source: string
  texts: readonly string[]
}

const account = 'account/page/account.tsx'
/** What its first tab renders at once, from chunks of their own. */
const partsOfFirstTab = [
  'account/main/connection-card.tsx',
  'account/main/notices-card.tsx',
  'account/topup/topup-card.tsx',
]

const textFiles = (language: string, names: readonly string[]) =>
  names.map((name) => `locales/${language}/${name}.json`)

/** The sizes of files together, each read and compressed once. */
function sizer(folder: string) {
  const sizes = new Map<string, number>()
  const sizeOf = (file: string) => {
    const known = sizes.get(file) ?? gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length
    sizes.set(file, known)
    return known
  }
  return (files: readonly string[]) => files.reduce((sum, file) => sum + sizeOf(file), 0) / 1024
}

/** The sizes of every public page in each language, of the first tab of the account, and of what each tab adds. */
export function measure(folder: string, manifest: Manifest, pages: readonly PageSources[]): Size[] {
  const kib = sizer(folder)
  const publicSizes = pages.flatMap(({ path: page, source, texts }) =>
    languages.flatMap((language): Size[] => {
      const files = filesOf(manifest, [starter, entry, source, ...textFiles(language, ['header', ...texts])])
      const what = `${page} in ${language}`
      return [
        {
          what: `scripts of ${what}`,
          kib: kib(files.js),
          limitKib: page === '/docs' ? budgets.docsJs : budgets.publicJs,
        },
        { what: `styles of ${what}`, kib: kib(files.css), limitKib: budgets.publicCss },
      ]
    }),
  )
  const accountFiles = (language: Language, ...more: string[]) =>
    filesOf(manifest, [
      entry,
      account,
      ...more,
      ...textFiles(language, ['header', 'userBtns', 'userPanel', 'requests', 'proxyCodes']),
    ])
  const firstTab = languages.map((language): Size => ({
    what: `scripts of the account’s first tab in ${language}`,
    kib: kib(accountFiles(language, ...partsOfFirstTab).js),
    limitKib: budgets.accountJs,
  }))
  const tabs = (manifest[account]?.dynamicImports ?? []).map((tab): Size => {
    // The account fetches them once its first tab is on the screen.
    const loaded = accountFiles('ru', 'account/page/tab-components.ts')
    const added = without(filesOf(manifest, [tab]), loaded)
    return { what: `scripts that ${tab} adds`, kib: kib(added.js), limitKib: budgets.tabJs }
  })
  return [...publicSizes, ...firstTab, ...tabs]
}

/** The sizes of the page of signing in. */
export function measureLogin(folder: string, manifest: Manifest): Size[] {
  const kib = sizer(folder)
  return languages.map((language): Size => {
    const texts = textFiles(language, ['header', 'auth'])
    const files = filesOf(manifest, [entry, 'storefront/auth/login.tsx', ...texts])
    return { what: `scripts of /login in ${language}`, kib: kib(files.js), limitKib: budgets.loginJs }
  })
}

/** The size of the flags, a file beside the chunks. */
export function measureFlags(folder: string): Size[] {
  const files = readdirSync(path.join(folder, 'assets'))
    .filter((file) => /^flags-.*\.svg$/.test(file))
    .map((file) => `assets/${file}`)
  return [{ what: 'flags', kib: sizer(folder)(files), limitKib: budgets.flags }]
}

/** The page that opens after a sign-in. */
const firstDeskPage = 'pages/today/today.tsx'

/** The sizes of the desk's first page in each language, and of what each further page adds. */
export function measureDesk(folder: string, manifest: Manifest): Size[] {
  const kib = sizer(folder)
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
      kib: kib(files.js),
      limitKib: budgets.deskJs,
    })),
    ...others.map((source) => ({
      what: `scripts that the desk’s ${source} adds`,
      kib: kib(without(filesOf(manifest, [source]), loaded).js),
      limitKib: budgets.deskPageJs,
    })),
  ]
}

const deskTexts = ['header', 'desk', 'deskPages']

export const isOverLimit = ({ kib, limitKib }: Size) => kib > limitKib

export const describeSize = ({ what, kib, limitKib }: Size) =>
  `${kib.toFixed(1).padStart(6)} of ${String(limitKib).padStart(3)} KiB  ${what}`
