/**
 * The answers with which the server rendered a page. They are embedded in the page, so that the browser
 * hydrates it with exactly the data the server had.
 */
import type { Language } from '#contract/language'
import type { FirstScreenData, PageData } from '#contract/page-renderer'
import { defaultBrand, setBrand } from './brand.ts'
import { fillCache } from './cache.ts'
import { isSiteKey, restoreSites, type Site } from './site.ts'

type Answers = PageData['answers']

/** The answers that the cache of reads takes when it loads. */
let waiting: Answers = []

/** Takes over the answers of a page: the site’s settings at once, the others when the cache of reads asks. */
export function restorePageData({ answers }: PageData): void {
  restoreSites(answers.flatMap(([key, answer]) => (isSiteKey(key) ? [[key[1], answer as Site]] : [])))
  waiting = answers.filter(([key]) => !isSiteKey(key))
  setBrand(brandIn(answers)?.name ?? defaultBrand)
}

/** Returns the answers other than the site’s settings, and removes them from this module. */
export function takeAnswers(): Answers {
  const taken = waiting
  waiting = []
  return taken
}

/** The brand of the shop, where the answers contain it. */
export function brandIn(answers: Answers): Site['brand'] | undefined {
  const site = answers.find(([key]) => isSiteKey(key))?.[1] as Site | undefined
  return site?.brand
}

/** In the browser, before hydration: restores what is embedded in the page. */
export function restoreEmbeddedData(): void {
  const text = document.querySelector<HTMLDataElement>('data#page-data')?.value
  if (text !== undefined && text !== '') restorePageData(JSON.parse(text) as PageData)
}

/** The reads of the first screen, begun by start.ts before the scripts of the page had loaded. */
interface FirstReads {
  /** For whom and in which language they are made. */
  token: string
  language: string
  data: Promise<FirstScreenData | null>
}

declare global {
  interface Window {
    firstReads?: FirstReads
  }
}

/** A server that takes longer is not waited for: the components then read for themselves. */
const longestMs = 1500
let first: Answers = []
let hasScreen = false

/** All that the first screen shows has been read. */
export const hasFirstScreen = (): boolean => hasScreen

/** Hands the reads of the first screen to the cache, if they are those of this customer. */
export async function takeFirstReads(token: string, language: Language): Promise<void> {
  const reads = window.firstReads
  delete window.firstReads
  if (reads?.token !== token || reads.language !== language) return
  const late = new Promise<null>((resolve) => void setTimeout(() => resolve(null), longestMs))
  const data = await Promise.race([reads.data, late])
  first = data?.answers ?? []
  hasScreen = data !== null && data.html !== null
  fillCache()
}

/** Returns the answers of the first screen, and removes them from this module. */
export function takeFirstAnswers(): Answers {
  const taken = first
  first = []
  return taken
}
