/**
 * The answers with which the server rendered a page. They are embedded in the page, so that the browser hydrates it
 * with exactly the data the server had.
 */
import type { PageData } from '#contract/page-renderer'
import { queryClient } from './api.ts'
import { defaultBrand, setBrand } from './brand.ts'
import type { Site } from './site.ts'

/** Puts the answers of a page into the query cache. */
export function restorePageData({ answers }: PageData): void {
  for (const [key, answer] of answers) queryClient.setQueryData(key, answer)
  setBrand(brandIn(answers)?.name ?? defaultBrand)
}

/** The brand of the shop, where the answers contain it. */
export function brandIn(answers: PageData['answers']): Site['brand'] | undefined {
  const site = answers.find(([key]) => key[0] === 'site')?.[1] as Site | undefined
  return site?.brand
}

/** In the browser, before hydration: restores what is embedded in the page. */
export function restoreEmbeddedData(): void {
  const text = document.querySelector<HTMLDataElement>('data#page-data')?.value
  if (text !== undefined && text !== '') restorePageData(JSON.parse(text) as PageData)
}
