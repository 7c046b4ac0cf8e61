/** The banners of the referral programme: pictures of the server, named by their size and language. */
import { type Language, languages } from '../language.ts'

export const bannerSizes = ['300x250', '728x90', '468x60'] as const
export type BannerSize = (typeof bannerSizes)[number]

export const bannersPath = '/banners/'

export const bannerFile = (size: BannerSize, language: Language) => `${size}-${language}.svg`

/** Parses the size and the language from a file name; null: no such banner exists. */
export function bannerOfFile(file: string): { size: BannerSize; language: Language } | null {
  for (const size of bannerSizes)
    for (const language of languages) if (file === bannerFile(size, language)) return { size, language }
  return null
}

export function dimensionsOf(size: BannerSize): { width: number; height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number)
  return { width, height }
}
