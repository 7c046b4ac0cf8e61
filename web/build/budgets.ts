/** How much a page may weigh, gzipped. The build fails when one weighs more. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beyond, entry, type Files, filesOf, type Manifest, starter } from './manifest.ts'

/** KiB. */
export const budgets = { publicJs: 140, publicCss: 6, accountJs: 245, tabJs: 30 } as const

export interface Weight {
  what: string
  kib: number
  atMostKib: number
}

interface PageSources {
  path: string
  source: string
  texts: readonly string[]
}

const textFiles = (language: string, names: readonly string[]) =>
  names.map((name) => `locales/${language}/${name}.json`)

const accountTexts = ['header', 'userBtns', 'userPanel']

/** The weight of every public page in each language, of the account's first tab, and of what each other tab adds. */
export function weigh(folder: string, manifest: Manifest, pages: readonly PageSources[]): Weight[] {
  const sizes = new Map<string, number>()
  const sizeOf = (file: string) => {
    const known = sizes.get(file) ?? gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length
    sizes.set(file, known)
    return known
  }
  const kib = (files: readonly string[]) => files.reduce((sum, file) => sum + sizeOf(file), 0) / 1024
  const languages = ['ru', 'en']
  const open = pages.flatMap(({ path: page, source, texts }) =>
    languages.flatMap((language): Weight[] => {
      const files = filesOf(manifest, [starter, entry, source, ...textFiles(language, ['header', ...texts])])
      const what = `${page} in ${language}`
      return [
        { what: `scripts of ${what}`, kib: kib(files.js), atMostKib: budgets.publicJs },
        { what: `styles of ${what}`, kib: kib(files.css), atMostKib: budgets.publicCss },
      ]
    }),
  )
  const account = languages.map((language) =>
    filesOf(manifest, [
      entry,
      'account/account.tsx',
      'account/blocks.ts',
      ...textFiles(language, accountTexts),
    ]),
  )
  const first: Weight[] = account.map((files, index) => ({
    what: `scripts of the account’s first tab in ${languages[index]}`,
    kib: kib(files.js),
    atMostKib: budgets.accountJs,
  }))
  const tabs = (manifest['account/account.tsx']?.dynamicImports ?? []).map((tab): Weight => {
    const known: Files = account[0] ?? { js: [], css: [] }
    const added = beyond(filesOf(manifest, [tab]), known)
    return { what: `scripts that ${tab} adds`, kib: kib(added.js), atMostKib: budgets.tabJs }
  })
  return [...open, ...first, ...tabs]
}

export const tooHeavy = ({ kib, atMostKib }: Weight) => kib > atMostKib

export const sentenceOf = ({ what, kib, atMostKib }: Weight) =>
  `${kib.toFixed(1).padStart(6)} of ${String(atMostKib).padStart(3)} KiB  ${what}`
