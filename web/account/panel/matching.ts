/** What the choices of the generator match. Pure. */
import type { Settings } from './settings.ts'

type Choices = Pick<
  Settings,
  'countries' | 'states' | 'cities' | 'zipcodes' | 'included_asn' | 'excluded_asn'
>

interface Counted {
  count: number
}

/** The lists of places that are offered for the choices; missing: not known. */
export interface OfferedPlaces {
  countries?: readonly (Counted & { code: string })[] | undefined
  states?: readonly (Counted & { code: string })[] | undefined
  cities?: readonly (Counted & { code: string })[] | undefined
  zipcodes?: readonly (Counted & { code: string })[] | undefined
  asns?: readonly (Counted & { asn: number })[] | undefined
}

export interface Matching {
  addresses: number
  /** The lists count each choice alone: where choices are combined, `addresses` is an upper bound. */
  isAtMost: boolean
}

const sum = (items: readonly Counted[]) => items.reduce((total, { count }) => total + count, 0)

/** Places, the narrowest first: the narrowest that are chosen decide. */
const placesFromNarrow = ['cities', 'states', 'countries'] as const

/** How many addresses match; null: not known yet. */
export function matchingAddresses(choices: Choices, offered: OfferedPlaces): Matching | null {
  const { zipcodes, included_asn: asns, excluded_asn: excluded } = choices
  const among = <T extends Counted & { code: string }>(
    list: readonly T[] | undefined,
    codes: readonly string[],
  ) => (list === undefined ? null : sum(list.filter(({ code }) => codes.includes(code))))
  const narrowest = placesFromNarrow.find((kind) => choices[kind].length > 0)
  const place =
    narrowest === undefined
      ? offered.countries === undefined
        ? null
        : sum(offered.countries)
      : among(
          offered[narrowest],
          choices[narrowest].map(({ code }) => code),
        )
  const parts = [place]
  if (zipcodes.length > 0) parts.push(among(offered.zipcodes, zipcodes))
  const ofNetworks = (numbers: readonly number[]) =>
    offered.asns === undefined ? null : sum(offered.asns.filter(({ asn }) => numbers.includes(asn)))
  if (asns.length > 0) parts.push(ofNetworks(asns.map(({ asn }) => asn)))
  const without = excluded.length === 0 ? 0 : ofNetworks(excluded.map(({ asn }) => asn))
  if (without === null || parts.includes(null)) return null
  const least = Math.min(...parts.map(Number))
  const narrowings = [zipcodes, asns, excluded].filter((each) => each.length > 0).length
  return { addresses: Math.max(0, least - (asns.length > 0 ? 0 : without)), isAtMost: narrowings > 1 }
}

/**
 * The chosen countries in which nothing is chosen although states or cities of others are: lines exit in the
 * chosen states and cities alone.
 */
export function unusedCountries({
  countries,
  states,
  cities,
}: Pick<Choices, 'countries' | 'states' | 'cities'>) {
  const used = new Set([...(cities.length > 0 ? cities : states)].map(({ country_code: code }) => code))
  return used.size === 0 ? [] : countries.filter(({ code }) => !used.has(code))
}
