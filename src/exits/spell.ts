/** The spelling of places in sellers' logins, derived from the ids of our targeting grammar. */
import { englishCountries, statelessCountries, usStates } from './presets/names.ts'
import type { CitySpelling, CountrySpelling, StateSpelling } from './presets/preset.ts'

/** The parts of a place of the targeting. */
export interface Spot {
  country: string
  /** The state's id, such as us_ny. */
  state: string | null
  /** The words of the city's name. */
  city: readonly string[] | null
}

export function spotOfState(id: string): Spot {
  return { country: id.slice(0, 2), state: id, city: null }
}

/** `us_ny_new_york`, or `sg_singapore` where a country has no states. */
export function spotOfCity(id: string): Spot {
  const [country = '', ...words] = id.split('_')
  if (words.length === 1 || statelessCountries.has(country)) return { country, state: null, city: words }
  return { country, state: `${country}_${words[0]}`, city: words.slice(1) }
}

export function spellCountry(code: string, spelling: CountrySpelling): string | null {
  if (spelling === 'lower') return code
  if (spelling === 'upper') return code.toUpperCase()
  return englishCountries[code] ?? null
}

/** Null for a state whose name is not known: only names of the United States' states are. */
export function spellState(id: string, spelling: StateSpelling): string | null {
  const [country, code = ''] = id.split('_')
  const name = country === 'us' ? usStates[code] : undefined
  if (name === undefined) return null
  const words = name.split(' ')
  switch (spelling) {
    case 'code':
      return code
    case 'underscored':
      return words.join('_')
    case 'us_underscored':
      return `us_${words.join('_')}`
    case 'joined':
      return words.join('')
    case 'plus':
      return words.join('+')
  }
}

/** Words that are lower case inside a city's name; whether sellers follow this is not documented. */
const particles =
  /^(a|al|am|an|and|au|aux|d|da|das|de|del|den|der|des|di|do|dos|du|e|el|en|im|in|la|le|les|of|on|the|und|upon|van|von)$/

export function spellCity(words: readonly string[], spelling: CitySpelling): string | null {
  switch (spelling) {
    case 'underscored':
      return words.join('_')
    case 'joined':
      return words.join('')
    case 'plus':
      return words.join('+')
    case 'one_word':
      return words.length === 1 ? (words[0] ?? null) : null
    case 'title_dashed':
      if (words.some((word) => particles.test(word))) return null
      return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('-')
  }
}
