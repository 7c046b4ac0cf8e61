import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { type InventoryRow, loadInventory, placesNamed } from './inventory.ts'

let database: Database

const place = (country: string, state: string | null, city: string | null): InventoryRow => ({
  pool: 'mobile',
  country,
  state,
  city,
  zip: null,
  asn: null,
  count: 1,
})

beforeAll(async () => {
  database = await testDatabase()
  const name = (id: string, nameEn: string) => ({ id, nameRu: `${nameEn}, по-русски`, nameEn })
  const rows = [
    place('us', 'us_ca', 'us_ca_los_angeles'),
    place('us', 'us_il', 'us_il_springfield'),
    place('us', 'us_mo', 'us_mo_springfield'),
    place('br', 'br_sp', 'br_sp_sao_paulo'),
    place('sg', null, 'sg_singapore'),
  ]
  const places = [
    name('us_ca', 'California'),
    name('us_il', 'Illinois'),
    name('us_mo', 'Missouri'),
    name('br_sp', 'São Paulo'),
    name('us_ca_los_angeles', 'Los Angeles'),
    name('us_il_springfield', 'Springfield'),
    name('us_mo_springfield', 'Springfield'),
    name('br_sp_sao_paulo', 'São Paulo'),
    name('sg_singapore', 'Singapore'),
  ]
  const names = () => ({ places, networks: [] })
  await loadInventory(database, { name: 'import', kind: 'import' }, { rows, names })
})
afterAll(() => database.close())

const named = (kind: 'state' | 'city', word: string, countries: string[], states: string[] = []) =>
  placesNamed(database.db, { pool: 'mobile', kind, word, countries, states })

it('places are found by their name or their code, in the given countries and states', async () => {
  expect(await named('state', 'california', ['us'])).toEqual(['us_ca'])
  expect(await named('state', 'ca', ['us'])).toEqual(['us_ca'])
  expect(await named('state', 'saopaulo', ['us', 'br'])).toEqual(['br_sp'])
  expect(await named('city', 'losangeles', ['us'])).toEqual(['us_ca_los_angeles'])
  expect(await named('city', 'saopaulo', ['br'])).toEqual(['br_sp_sao_paulo'])
  expect(await named('city', 'singapore', ['sg', 'us'])).toEqual(['sg_singapore'])
  expect((await named('city', 'springfield', ['us'])).toSorted()).toEqual([
    'us_il_springfield',
    'us_mo_springfield',
  ])
  expect(await named('city', 'springfield', ['us'], ['us_mo'])).toEqual(['us_mo_springfield'])
})

it('no place is found for an unknown name', async () => {
  expect(await named('city', 'losangeles', ['br'])).toEqual([])
  expect(await named('state', 'losangeles', ['us'])).toEqual([])
  expect(await named('city', '', ['us'])).toEqual([])
  expect(await named('city', 'losangeles', [])).toEqual([])
  expect(
    await placesNamed(database.db, {
      pool: 'satellite',
      kind: 'city',
      word: 'x',
      countries: ['us'],
      states: [],
    }),
  ).toEqual([])
})
