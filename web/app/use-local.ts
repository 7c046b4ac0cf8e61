import { useLanguage } from './language.ts'
import { localPath } from './paths.ts'

/** Writes the product's own links for the language on the screen: `/rules` is `/en/rules` on an English page. */
export function useLocal(): (to: string) => string {
  const language = useLanguage()
  return (to) => localPath(to, language)
}
