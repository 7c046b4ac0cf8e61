/**
 * The answers with which the server rendered a page. They are embedded in the page, so that the browser
 * hydrates it with exactly the data the server had.
 */
import type { PageData } from '#contract/page-renderer'
import { defaultBrand, setBrand } from './brand.ts'
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
