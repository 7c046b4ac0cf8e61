/** The brand in letters. */
import type { Accent } from '#contract/colours'

export interface LetterPicture {
  bytes: Uint8Array
  contentType: string
  width: number
  height: number
}

export interface LetterBrand {
  name: string
  /** The text beside the logo; empty: none. */
  logoText: string
  accent: Accent
  /** Null: the name alone. */
  logo: LetterPicture | null
  /** For dark mail programs; null: the same. */
  logoDark: LetterPicture | null
}

/** Mail programs show PNG; hardly any of them shows SVG, and some do not show WebP. */
const isShown = (picture: LetterPicture | null) => picture?.contentType === 'image/png'

interface Logo {
  /** The Content-ID (RFC 2392), under which the letter names it. */
  id: string
  picture: LetterPicture
  theme: 'both' | 'light' | 'dark'
}

/** The logos attached to a letter. */
export function logosOf({ logo, logoDark }: LetterBrand): Logo[] {
  if (logo === null || !isShown(logo)) return []
  const light = { id: 'logo@letter', picture: logo }
  if (logoDark === null || !isShown(logoDark)) return [{ ...light, theme: 'both' }]
  return [
    { ...light, theme: 'light' },
    { id: 'logo-dark@letter', picture: logoDark, theme: 'dark' },
  ]
}

/** The logos as attachments of a letter, by their Content-ID. */
export const picturesOf = (brand: LetterBrand) =>
  logosOf(brand).map(({ id: cid, picture: { bytes, contentType } }) => ({ cid, bytes, contentType }))
