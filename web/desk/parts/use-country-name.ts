import { useMemo } from 'react'
import { useLanguage } from '../../state/i18n.ts'

/** The name of a country in the language of the page. */
export function useCountryName(): (code: string) => string {
  const language = useLanguage()
  return useMemo(() => {
    const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' })
    return (code) => names.of(code.toUpperCase()) ?? code
  }, [language])
}
