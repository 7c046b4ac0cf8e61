/** The address behind the button of a letter, with its token. */
import type { LetterContext } from './letter.ts'
import { openToken } from './seal.ts'

export const linkOf = (
  { publicUrl, secrets, to }: LetterContext,
  path: string,
  field: string,
  sealed: string,
): string => {
  const url = new URL(path, publicUrl)
  url.searchParams.set(field, openToken(secrets, sealed, to))
  return url.href
}
