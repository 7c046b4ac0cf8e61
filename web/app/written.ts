/**
 * What the server knew when it wrote a page: the answers that the page shows. They come inside the page, so that the
 * browser finds exactly what the server saw when it takes the page over.
 */
import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from './api.ts'
import { defaultBrand, setBrand } from './brand.ts'
import type { Site } from './site.ts'

export interface Written {
  answers: [QueryKey, unknown][]
}

/** Gives a page's answers to those who ask for them. */
export function know({ answers }: Written): void {
  for (const [key, answer] of answers) queryClient.setQueryData(key, answer)
  setBrand(brandIn(answers) ?? defaultBrand)
}

/** What the shop is called, where the answers say it. */
export function brandIn(answers: Written['answers']): string | undefined {
  const site = answers.find(([key]) => key[0] === 'site')?.[1] as Site | undefined
  return site?.brand.name
}

/** In the browser, before the page is taken over. */
export function takeWritten(): void {
  const text = document.querySelector<HTMLDataElement>('data#written')?.value
  if (text !== undefined && text !== '') know(JSON.parse(text) as Written)
}
