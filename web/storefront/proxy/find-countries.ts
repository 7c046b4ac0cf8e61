import type { Language } from '#contract/language'
import { countryName } from '#contract/countries'
import type { Countries } from '../../state/places/countries.ts'
import { normalized } from '../../ui/picker/search.ts'

/** The countries by their number of addresses, the largest first, then by name. */
export function sortByCount(countries: Countries, language: Language): Countries {
  return countries.toSorted((a, b) => b.count - a.count || a.name.localeCompare(b.name, language))
}

/**
 * The countries that match a query: by the beginning of a word of their name in either language, or by their
 * code. A code in capitals matches its country only.
 */
export function findCountries(countries: Countries, query: string): Countries {
  const wanted = normalized(query)
  if (wanted === '') return countries
  const byCode = countries.filter(({ code }) => code.toUpperCase() === query.trim())
  if (byCode.length > 0) return byCode
  return countries.filter(({ code, name }) => {
    const names = [name, countryName(code, 'ru'), countryName(code, 'en')]
    return (
      code.toLowerCase() === wanted || names.some((each) => ` ${normalized(each)}`.includes(` ${wanted}`))
    )
  })
}
