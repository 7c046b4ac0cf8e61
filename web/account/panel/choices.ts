/** Converts places and networks to rows of a picker, and confirmed rows back to settings. */
import type { Language } from '#contract/language'
import { countryName } from '#contract/countries'
import type { PickerItem } from '../../ui/picker/picker-list.tsx'
import {
  withCities,
  withCountries,
  withExcludedAsns,
  withIncludedAsns,
  withStates,
  withZipcodes,
} from './cascade.ts'
import { type WithCount, counted, countryItem } from './country-item.ts'
import type { Geo } from './use-geo.ts'
import type { Asn, City, Country, Settings, State } from './settings.ts'

export const kinds = ['countries', 'states', 'cities', 'zipcodes', 'included_asn', 'excluded_asn'] as const
export type Kind = (typeof kinds)[number]

/** Whether a choice of this kind doubles the tariff; see `multiplierOf`. */
export const doublesTariff = (kind: Kind): boolean => kind !== 'countries' && kind !== 'excluded_asn'

interface Values {
  countries: Country
  states: State
  cities: City
  zipcodes: string
  included_asn: Asn
  excluded_asn: Asn
}

/** A row, with the value that the settings get when it is confirmed. */
export type Choice = { [K in Kind]: PickerItem & { kind: K; value: Values[K] } }[Kind]

function ofCountry(country: Country & WithCount, language: Language): Choice {
  const { code, name } = country
  return { kind: 'countries', value: { code, name }, ...countryItem(country, language) }
}

function ofState(state: State & WithCount, language: Language): Choice {
  const { code, name, country_code } = state
  const note = countryName(country_code, language)
  const value = { code, name, country_code }
  return {
    kind: 'states',
    key: `${country_code}/${code}`,
    label: name,
    code,
    note,
    value,
    ...counted(state, language),
  }
}

function ofCity(city: City & WithCount, language: Language, stateName?: string): Choice {
  const { code, name, state_code, country_code } = city
  const value = { code, name, state_code, country_code }
  const note = stateName ?? countryName(country_code, language)
  const key = `${country_code}/${state_code ?? ''}/${code}`
  return { kind: 'cities', key, label: name, code, note, value, ...counted(city, language) }
}

function ofZipcode(zip: { code: string; name: string } & WithCount, language: Language): Choice {
  const note = zip.name === '' || zip.name === zip.code ? {} : { note: zip.name }
  return {
    kind: 'zipcodes',
    key: zip.code,
    label: zip.code,
    value: zip.code,
    ...note,
    ...counted(zip, language),
  }
}

function ofAsn(kind: 'included_asn' | 'excluded_asn', asn: Asn & WithCount, language: Language): Choice {
  const name = asn.name === '' ? 'Unknown' : asn.name
  return {
    kind,
    key: String(asn.asn),
    label: `AS${asn.asn} ${name}`,
    code: name,
    value: { asn: asn.asn, name },
    ...counted(asn, language),
  }
}

/** A typed zip code as a row; null for blank text. */
export function typedZipcode(text: string): Choice | null {
  const code = text.trim()
  return code === '' ? null : { kind: 'zipcodes', key: code, label: code, value: code }
}

/** The rows to choose from. */
export function choicesOf(kind: Kind, geo: Geo, language: Language): Choice[] {
  switch (kind) {
    case 'countries':
      return (geo.countries.data ?? []).map((each) => ofCountry(each, language))
    case 'states':
      return (geo.states.data ?? []).map((each) => ofState(each, language))
    case 'cities': {
      const states = new Map(
        geo.states.data?.map((state) => [`${state.country_code}/${state.code}`, state.name]),
      )
      const stateOf = (city: City) => states.get(`${city.country_code}/${city.state_code ?? ''}`)
      return (geo.cities.data ?? []).map((each) => ofCity(each, language, stateOf(each)))
    }
    case 'zipcodes':
      return (geo.zipcodes.data ?? []).map((each) => ofZipcode(each, language))
    case 'included_asn':
    case 'excluded_asn':
      return (geo.asns.data ?? []).map((each) => ofAsn(kind, each, language))
  }
}

/** The rows that are chosen in the settings. */
export function selectedOf(kind: Kind, settings: Settings, language: Language): Choice[] {
  switch (kind) {
    case 'countries':
      return settings.countries.map((each) => ofCountry(each, language))
    case 'states':
      return settings.states.map((each) => ofState(each, language))
    case 'cities':
      return settings.cities.map((each) => ofCity(each, language))
    case 'zipcodes':
      return settings.zipcodes.map((code) => ofZipcode({ code, name: code }, language))
    case 'included_asn':
    case 'excluded_asn':
      return settings[kind].map((each) => ofAsn(kind, each, language))
  }
}

/** The values of the rows of one kind. */
function valuesOf<K extends Kind>(kind: K, rows: readonly Choice[]): Values[K][] {
  return rows.filter((row) => row.kind === kind).map((row) => row.value as Values[K])
}

/** The settings after these rows were confirmed. */
export function withSelected(kind: Kind, selected: readonly Choice[], settings: Settings): Settings {
  switch (kind) {
    case 'countries':
      return withCountries(settings, valuesOf(kind, selected))
    case 'states':
      return withStates(settings, valuesOf(kind, selected))
    case 'cities':
      return withCities(settings, valuesOf(kind, selected))
    case 'zipcodes':
      return withZipcodes(settings, valuesOf(kind, selected))
    case 'included_asn':
      return withIncludedAsns(settings, valuesOf(kind, selected))
    case 'excluded_asn':
      return withExcludedAsns(settings, valuesOf(kind, selected))
  }
}
