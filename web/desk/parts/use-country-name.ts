import { useMemo } from 'react'
import { countryName } from '#contract/countries'
import { useLanguage } from '../../state/i18n.ts'

/** The name of a country in the language of the page. */
export function useCountryName(): (code: string) => string {
  const language = useLanguage()
  return useMemo(() => (code) => countryName(code, language), [language])
}
