import { countryName } from '../../app/country-name.ts'
import type { Countries } from '../../app/countries.ts'
import { searchable } from '../../ui/search.ts'

/** The countries with the most addresses first; those of the same count by name. */
export function ranked(countries: Countries, language: 'ru' | 'en'): Countries {
  return countries.toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name, language))
}

/** Those that answer to what was typed: a word of the name in either language, or the code; `DE` is the code alone. */
export function found(countries: Countries, typed: string): Countries {
  const wanted = searchable(typed)
  if (wanted === '') return countries
  const ofCode = countries.filter(({ code }) => code.toUpperCase() === typed.trim())
  if (ofCode.length > 0) return ofCode
  return countries.filter(({ code, name }) => {
    const names = [name, countryName(code, 'ru', name), countryName(code, 'en', name)]
    return (
      code.toLowerCase() === wanted || names.some((each) => ` ${searchable(each)}`.includes(` ${wanted}`))
    )
  })
}
