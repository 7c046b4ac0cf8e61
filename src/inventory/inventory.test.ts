import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/contract'
import { countryName } from '#contract/countries'
import { pools } from '#contract/wire'
import type { Database } from '#db'
import type { Context } from '#db/call'
import { Refusal } from '#lib/refusal'
import { testDatabase } from '#test/database'
import { demoInventory } from './demo.ts'
import {
  asnsOf,
  citiesOf,
  countriesOf,
  isDemoInventory,
  listInventory,
  loadInventory,
  removeInventory,
  seedDemoInventory,
  statesOf,
  unknownPlaces,
  zipsOf,
  type InventoryRow,
} from './inventory.ts'
import { inventoryCalls } from './inventory.calls.ts'

let database: Database
const ru = { pool: 'mobile', language: 'ru' } as const
const en = { pool: 'mobile', language: 'en' } as const

const row = (place: Partial<InventoryRow> & { country: string; count: number }): InventoryRow => ({
  pool: 'mobile',
  state: null,
  city: null,
  zip: null,
  asn: null,
  ...place,
})

const names = {
  places: [
    { id: 'us_ca', nameRu: 'Калифорния', nameEn: 'California' },
    { id: 'us_ny', nameRu: 'Нью-Йорк', nameEn: 'New York' },
    { id: 'us_ca_fresno', nameRu: 'Фресно', nameEn: 'Fresno' },
    { id: 'us_ca_los_angeles', nameRu: 'Лос-Анджелес', nameEn: 'Los Angeles' },
    { id: 'sg_singapore', nameRu: 'Сингапур', nameEn: 'Singapore' },
  ],
  networks: [{ asn: 7018, name: 'AT&T' }],
}

const rows: InventoryRow[] = [
  row({ country: 'us', state: 'us_ca', city: 'us_ca_fresno', zip: '93701', asn: 7018, count: 5 }),
  row({ country: 'us', state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 7018, count: 7 }),
  row({
    country: 'us',
    state: 'us_ca',
    city: 'us_ca_los_angeles',
    zip: '90001',
    asn: 4_294_967_295,
    count: 1,
  }),
  row({ country: 'us', state: 'us_ca', zip: '93701', count: 2 }),
  row({ country: 'us', state: 'us_ny', city: 'us_ny_albany', asn: 7018, count: 30 }),
  row({ country: 'sg', city: 'sg_singapore', zip: '018956', asn: 7018, count: 9 }),
  row({ country: 'de', count: 45 }),
  row({ country: 'pl', count: 9 }),
  row({ pool: 'datacenter', country: 'fr', count: 1 }),
]

const load = (name: string, some: InventoryRow[]) =>
  loadInventory(database, { name, kind: 'import' }, { rows: some, names: () => names })

beforeAll(async () => {
  database = await testDatabase()
  await load('import', rows)
})
afterAll(() => database.close())

describe('the lists', () => {
  it('contain countries with counts, largest first, by name when equal', async () => {
    expect(await countriesOf(database.db, en)).toEqual([
      { code: 'de', name: 'Germany', count: 45 },
      { code: 'us', name: 'United States', count: 45 },
      { code: 'pl', name: 'Poland', count: 9 },
      { code: 'sg', name: 'Singapore', count: 9 },
    ])
    expect((await countriesOf(database.db, ru))[0]).toEqual({ code: 'de', name: 'Германия', count: 45 })
  })

  it('contain states of the requested countries', async () => {
    expect(await statesOf(database.db, ru, { countries: ['us', 'sg'] })).toEqual([
      { code: 'us_ny', name: 'Нью-Йорк', count: 30, country_code: 'us' },
      { code: 'us_ca', name: 'Калифорния', count: 15, country_code: 'us' },
    ])
    expect(await statesOf(database.db, ru, { countries: [] })).toEqual([])
  })

  it('contain cities, with states or without, and the id of a city without a name', async () => {
    const all = await citiesOf(database.db, en, { countries: ['us', 'sg'], states: [] })
    expect(all).toEqual([
      { code: 'us_ny_albany', name: 'us_ny_albany', count: 30, state_code: 'us_ny', country_code: 'us' },
      { code: 'sg_singapore', name: 'Singapore', count: 9, state_code: null, country_code: 'sg' },
      { code: 'us_ca_los_angeles', name: 'Los Angeles', count: 8, state_code: 'us_ca', country_code: 'us' },
      { code: 'us_ca_fresno', name: 'Fresno', count: 5, state_code: 'us_ca', country_code: 'us' },
    ])
    expect(await citiesOf(database.db, en, { countries: ['us'], states: ['us_ca'] })).toEqual(all.slice(2))
    expect(await citiesOf(database.db, en, { countries: [], states: ['us_ca'] })).toEqual([])
  })

  it('contain networks of countries, states and cities', async () => {
    const asns = (states: string[], cities: string[]) =>
      asnsOf(database.db, en, { countries: ['us'], states, cities })
    expect(await asns([], [])).toEqual([
      { asn: 7018, name: 'AT&T', count: 42 },
      { asn: 4_294_967_295, name: 'Unknown', count: 1 },
    ])
    expect(await asns(['us_ca'], [])).toMatchObject([{ asn: 7018, count: 12 }, { count: 1 }])
    expect(await asns([], ['us_ca_fresno'])).toEqual([{ asn: 7018, name: 'AT&T', count: 5 }])
    expect(await asns(['us_ny'], ['us_ca_fresno'])).toEqual([])
    expect(await asnsOf(database.db, en, { countries: [], states: [], cities: [] })).toEqual([])
  })

  it('contain zip codes, named after their city when it is unambiguous', async () => {
    expect(await zipsOf(database.db, ru, { countries: ['us', 'sg'], states: [] })).toEqual([
      { code: '018956', name: 'Сингапур', count: 9 },
      { code: '90001', name: 'Лос-Анджелес', count: 8 },
      { code: '93701', name: '93701', count: 7 },
    ])
    expect(await zipsOf(database.db, ru, { countries: ['us'], states: ['us_ny'] })).toEqual([])
  })

  it('contain the zip codes of chosen cities only, and those that may be in several', async () => {
    const of = async (...cities: string[]) =>
      (await zipsOf(database.db, ru, { countries: ['us'], states: [], cities })).map(({ code }) => code)
    expect(await of('us_ca_los_angeles')).toEqual(['90001', '93701'])
    expect(await of('us_ca_fresno')).toEqual(['93701'])
    expect(await of('us_ny_albany')).toEqual([])
  })
})

describe('a source', () => {
  it('is added to the others, and is replaced as a whole', async () => {
    await load('second', [row({ country: 'us', state: 'us_ca', asn: 7018, count: 100 })])
    expect((await countriesOf(database.db, en))[0]).toMatchObject({ code: 'us', count: 145 })
    expect(await statesOf(database.db, en, { countries: ['us'] })).toMatchObject([
      { count: 115 },
      { count: 30 },
    ])
    await load('second', [row({ country: 'jp', count: 1 })])
    expect(await countriesOf(database.db, en)).toHaveLength(5)
    await load('second', [])
    expect(await countriesOf(database.db, en)).toHaveLength(4)
  })

  it('is refused as a whole when one row contradicts itself', async () => {
    const wrong = [row({ country: 'jp', count: 5 }), row({ country: 'jp', state: 'us_ca', count: 5 })]
    await expect(load('second', wrong)).rejects.toThrow(/check constraint/)
    expect(await countriesOf(database.db, en)).toHaveLength(4)
  })

  it('can be loaded by two processes concurrently', async () => {
    await Promise.all([1, 2, 3].map((count) => load('racing', [row({ country: 'jp', count })])))
    const japan = (await countriesOf(database.db, en)).find((country) => country.code === 'jp')
    expect([1, 2, 3]).toContain(japan?.count)
    await load('racing', [])
  })
})

describe('unknown places', () => {
  const nothing = { countries: [], states: [], cities: [], zips: [], asns: [], excludedAsns: [] }

  it('are returned', async () => {
    const known = {
      countries: ['us', 'sg'],
      states: ['us_ca'],
      cities: ['us_ca_fresno', 'sg_singapore'],
      zips: ['018956', '93701'],
      asns: [7018],
      excludedAsns: [4_294_967_295],
    }
    expect(await unknownPlaces(database.db, 'mobile', nothing)).toEqual([])
    expect(await unknownPlaces(database.db, 'mobile', known)).toEqual([])
    expect(
      await unknownPlaces(database.db, 'mobile', {
        countries: ['us', 'fr', "'; drop table account"],
        states: ['us_tx'],
        cities: ['us_ca_paris'],
        zips: ['018956'],
        asns: [1],
        excludedAsns: [2],
      }),
    ).toEqual(['fr', "'; drop table account", 'us_tx', 'us_ca_paris', '018956', 'AS1', 'AS2'])
  })

  it('are determined per pool', async () => {
    expect(await unknownPlaces(database.db, 'datacenter', { ...nothing, countries: ['us', 'fr'] })).toEqual([
      'us',
    ])
  })
})

describe('the calls', () => {
  const context = () => ({ database, language: 'ru' }) as unknown as Context

  it('answer according to the contract, and accept capitals', async () => {
    const place = { provider: 'gateway', pool: 'mobile', countries: ['US'] } as const
    const countries = await inventoryCalls.proxy_countries(place, context())
    const states = await inventoryCalls.proxy_states({ ...place, countries: ['US'] }, context())
    const cities = await inventoryCalls.proxy_cities({ ...place, countries: ['US'], states: null }, context())
    const asns = await inventoryCalls.proxy_asns({ ...place, countries: ['US'] }, context())
    const zips = await inventoryCalls.proxy_zipcodes(
      { ...place, countries: ['US'], states: ['US_CA'] },
      context(),
    )
    expect(contract.proxy_countries.output.parse(countries)).toHaveLength(4)
    expect(contract.proxy_states.output.parse(states)).toHaveLength(2)
    expect(contract.proxy_cities.output.parse(cities)).toHaveLength(3)
    expect(contract.proxy_asns.output.parse(asns)).toHaveLength(2)
    expect(contract.proxy_zipcodes.output.parse(zips)).toHaveLength(2)
  })

  it('find nothing for an id with a NUL', async () => {
    const where = { countries: ['us'], states: ['us_\0ca'] }
    const asked = { provider: 'gateway', pool: 'mobile', ...where } as const
    expect(await inventoryCalls.proxy_cities(asked, context())).toEqual([])
    expect(await inventoryCalls.proxy_asns(asked, context())).toEqual([])
  })

  it('refuse an unknown provider', async () => {
    const call = inventoryCalls.proxy_countries({ provider: 'acme', pool: 'mobile' }, context())
    await expect(call).rejects.toThrow(Refusal)
    await expect(call).rejects.toMatchObject({ code: 'unknown_provider', details: { provider: 'acme' } })
  })
})

describe('the demo', () => {
  it('has places in every pool, named in both languages, and is seeded once', async () => {
    const fresh = await testDatabase()
    try {
      await Promise.all([seedDemoInventory(fresh), seedDemoInventory(fresh)])
      for (const pool of pools) {
        const view = { pool, language: 'ru' } as const
        expect((await countriesOf(fresh.db, view)).length).toBeGreaterThan(60)
        expect((await statesOf(fresh.db, view, { countries: ['us'] })).length).toBeGreaterThan(15)
        expect((await citiesOf(fresh.db, view, { countries: ['ru'], states: ['ru_nvs'] }))[0]?.name).toBe(
          'Новосибирск',
        )
        expect((await zipsOf(fresh.db, view, { countries: ['gb'], states: [] })).length).toBeGreaterThan(5)
        const asns = await asnsOf(fresh.db, view, { countries: ['de'], states: ['de_by'], cities: [] })
        expect(asns.every((network) => network.name !== 'Unknown')).toBe(true)
        expect(asns.length).toBeGreaterThan(1)
      }
    } finally {
      await fresh.close()
    }
  })

  it('is not loaded after its removal, nor beside an inventory of the operator', async () => {
    const fresh = await testDatabase()
    const loadedAt = async () => (await listInventory(fresh.db)).map((one) => [one.name, one.loadedAt])
    try {
      expect(await isDemoInventory(fresh.db)).toBe(false)
      await seedDemoInventory(fresh)
      expect(await isDemoInventory(fresh.db)).toBe(true)
      const first = await loadedAt()
      await seedDemoInventory(fresh)
      expect(await loadedAt()).toEqual(first)
      await fresh.db.updateTable('inventory_source').set({ revision: 1 }).execute()
      await seedDemoInventory(fresh)
      expect(await loadedAt()).not.toEqual(first)
      await loadInventory(fresh, { name: 'own', kind: 'import' }, { rows, names: () => names })
      expect(await removeInventory(fresh.db, 'demo')).not.toBeNull()
      expect(await removeInventory(fresh.db, 'demo')).toBeNull()
      await seedDemoInventory(fresh)
      expect((await listInventory(fresh.db)).map((one) => one.name)).toEqual(['own'])
      expect(await isDemoInventory(fresh.db)).toBe(false)
      expect(await countriesOf(fresh.db, en)).toHaveLength(4)
    } finally {
      await fresh.close()
    }
  })

  it('is deterministic, and all its places have names', async () => {
    const [first, second] = await Promise.all([demoInventory(), demoInventory()])
    expect(first).toEqual(second)
    const names = [...first.names.places]
    const named = new Set(names.map((place) => place.id))
    const places = new Set(first.rows.flatMap((one) => [one.state, one.city]).filter((id) => id !== null))
    expect([...places].filter((id) => !named.has(id))).toEqual([])
    expect(named.size).toBe(names.length)
    expect(names.filter((place) => /[а-яё]/i.test(place.nameEn) || place.nameRu === '')).toEqual([])
    const countries = new Set(first.rows.map((one) => one.country))
    expect([...countries].filter((code) => countryName(code, 'en') === code.toUpperCase())).toEqual([])
    expect(countries.size).toBeGreaterThan(190)
  })

  it('has Russian names in the countries of most customers', async () => {
    const { places } = (await demoInventory()).names
    const ofRussia = [...places].filter((place) => place.id.startsWith('ru_'))
    expect(ofRussia.filter((place) => !/[а-яё]/i.test(place.nameRu))).toEqual([])
    expect(ofRussia.length).toBeGreaterThan(200)
  })
})
