/** The size limits of pages, gzipped. The build fails when a page exceeds its limit. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { languages } from '#contract/language'
import { entry, type Files, filesOf, type Manifest, starter, without } from './manifest.ts'

/** KiB. */
export const budgets = { publicJs: 140, publicCss: 6, accountJs: 245, tabJs: 30 } as const

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

const textFiles = (language: string, names: readonly string[]) =>
  names.map((name) => `locales/${language}/${name}.json`)

/** The sizes of every public page in each language, of the first tab of the account, and of what each tab adds. */
export function measure(folder: string, manifest: Manifest, pages: readonly PageSources[]): Size[] {
  const sizes = new Map<string, number>()
  const sizeOf = (file: string) => {
    const known = sizes.get(file) ?? gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length
    sizes.set(file, known)
    return known
  }
  const kib = (files: readonly string[]) => files.reduce((sum, file) => sum + sizeOf(file), 0) / 1024
  const publicSizes = pages.flatMap(({ path: page, source, texts }) =>
    languages.flatMap((language): Size[] => {
      const files = filesOf(manifest, [starter, entry, source, ...textFiles(language, ['header', ...texts])])
      const what = `${page} in ${language}`
      return [
        { what: `scripts of ${what}`, kib: kib(files.js), limitKib: budgets.publicJs },
        { what: `styles of ${what}`, kib: kib(files.css), limitKib: budgets.publicCss },
      ]
    }),
  )
  const accountFiles = languages.map((language) =>
    filesOf(manifest, [
      entry,
      account,
      'account/page/tab-components.ts',
      ...textFiles(language, ['header', 'userBtns', 'userPanel']),
    ]),
  )
  const firstTab: Size[] = accountFiles.map((files, index) => ({
    what: `scripts of the account’s first tab in ${languages[index]}`,
    kib: kib(files.js),
    limitKib: budgets.accountJs,
  }))
  const tabs = (manifest[account]?.dynamicImports ?? []).map((tab): Size => {
    const loaded: Files = accountFiles[0] ?? { js: [], css: [] }
    const added = without(filesOf(manifest, [tab]), loaded)
    return { what: `scripts that ${tab} adds`, kib: kib(added.js), limitKib: budgets.tabJs }
  })
  return [...publicSizes, ...firstTab, ...tabs]
}

export const isOverLimit = ({ kib, limitKib }: Size) => kib > limitKib

export const describeSize = ({ what, kib, limitKib }: Size) =>
  `${kib.toFixed(1).padStart(6)} of ${String(limitKib).padStart(3)} KiB  ${what}`
