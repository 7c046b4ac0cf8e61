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
  /** The name customers reach the shop by. */
  host: string
}

let written: Written = { answers: [], host: '' }

/** Gives a page's answers to those who ask for them. */
export function know(page: Written): void {
  written = page
  setBrand(defaultBrand)
  for (const [key, answer] of page.answers) {
    queryClient.setQueryData(key, answer)
    if (key[0] === 'site') setBrand((answer as Site).brand.name)
  }
}

/** The shop's host name, the same here and where the page was written. */
export const writtenHost = (): string =>
  written.host === '' && typeof window !== 'undefined' ? window.location.hostname : written.host

/** In the browser, before the page is taken over. */
export function takeWritten(): void {
  const text = document.querySelector<HTMLDataElement>('data#written')?.value
  if (text !== undefined && text !== '') know(JSON.parse(text) as Written)
}
