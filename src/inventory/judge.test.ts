import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { feedChannel } from '#feed/announcement'
import { testDatabase } from '#test/database'
import { type InventoryRow, loadInventory, removeInventory, strangePlaces } from './inventory.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
  await load('import', rows)
})
afterAll(() => database.close())

const row = (place: Partial<InventoryRow> & { country: string }): InventoryRow => ({
  pool: 'mobile',
  state: null,
  city: null,
  zip: null,
  asn: null,
  count: 1,
  ...place,
})

const place = (id: string, nameEn: string) => ({ id, nameRu: nameEn, nameEn })
const names = () => ({
  places: [
    place('us_ca', 'California'),
    place('us_ny', 'New York'),
    place('us_az', 'Arizona'),
    place('us_ca_los_angeles', 'Los Angeles'),
  ],
  networks: [],
})

const rows: InventoryRow[] = [
  row({ country: 'us', state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 7018 }),
  row({ country: 'us', state: 'us_ca', city: 'us_ca_fresno', zip: '93701', asn: 7922 }),
  row({ country: 'us', state: 'us_ny', city: 'us_ny_new_york', zip: '10001' }),
  row({ country: 'us', state: 'us_az' }),
  row({ country: 'sg', city: 'sg_singapore', zip: '018956' }),
  // For Germany the operator has only imported the country.
  row({ country: 'de' }),
]

const load = (name: string, some: InventoryRow[], exitId?: bigint) =>
  loadInventory(
    database,
    { name, kind: 'import', ...(exitId === undefined ? {} : { exitId }) },
    { rows: some, names },
  )

const nothing = { countries: [], states: [], cities: [], zips: [], asns: [], excludedAsns: [] }
const judge = (named: Partial<Parameters<typeof strangePlaces>[1]>) =>
  strangePlaces(database.db, { ...nothing, pool: 'mobile', ...named })
const nearestTo = async (named: Parameters<typeof judge>[0]) => (await judge(named)).map((one) => one.nearest)

async function addExit(pool: string, name: string): Promise<bigint> {
  const { id } = await database.db
    .insertInto('exit')
    .values({ pool, name, kind: 'direct', everywhere: true })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

describe('the places of a line', () => {
  it('are accepted when an inventory has them', async () => {
    const named = {
      countries: ['us', 'sg'],
      states: ['us_ca'],
      cities: ['us_ca_los_angeles'],
      zips: ['90001', '018956'],
      asns: [7018],
      excludedAsns: [7922],
    }
    expect(await judge(named)).toEqual([])
    expect(await judge({})).toEqual([])
    expect(await judge({ asns: [7018] })).toEqual([])
  })

  it('are returned as unknown when it has others of their kind there, each with the nearest', async () => {
    const strange = (key: string, value: string, nearest: string | null) => ({
      key,
      value,
      nearest,
      ofPool: true,
      exits: [],
    })
    expect(
      await judge({
        countries: ['us'],
        states: ['us_zz'],
        cities: ['us_ca_fresnoo'],
        zips: ['90010'],
        asns: [7019],
        excludedAsns: [1],
      }),
    ).toEqual([
      strange('st', 'us_zz', 'us_az'),
      strange('city', 'us_ca_fresnoo', 'us_ca_fresno'),
      // It is in none of the named states, so no other spelling is suggested.
      strange('zip', '90010', null),
      strange('asn', '7019', null),
      strange('xasn', '1', null),
    ])
    expect(await nearestTo({ countries: ['us'], zips: ['90010'], asns: [7019] })).toEqual(['90001', '7018'])
  })

  it('are not judged where no inventory covers their kind', async () => {
    expect(await judge({ countries: ['de'], states: ['de_zz'], cities: ['de_zz_x'] })).toEqual([])
    expect(await judge({ countries: ['de'], zips: ['10115'], asns: [3320] })).toEqual([])
    // It may be a place in Germany.
    expect(await judge({ countries: ['us', 'de'], zips: ['10115'] })).toEqual([])
    expect(await judge({ countries: ['sg'], states: ['sg_zz'] })).toEqual([])
    expect(await strangePlaces(database.db, { ...nothing, pool: 'datacenter', states: ['us_zz'] })).toEqual(
      [],
    )
    expect(await strangePlaces(database.db, { ...nothing, pool: 'satellite', states: ['us_zz'] })).toEqual([])
  })

  it('contradict each other when a zip code lies in another state', async () => {
    expect(await judge({ countries: ['us'], states: ['us_ca'], zips: ['10001'] })).toMatchObject([
      { key: 'zip', value: '10001' },
    ])
    expect(await judge({ countries: ['us'], states: ['us_ca', 'us_ny'], zips: ['10001'] })).toEqual([])
  })

  it.each([
    ['us_california', 'us_ca'],
    ['us_newyork', 'us_ny'],
    ['us_californa', 'us_ca'],
    ['us_aq', 'us_az'],
    ['us_wonderland', null],
  ])('%s is corrected to the state %s', async (said, meant) => {
    expect(await nearestTo({ states: [said] })).toEqual([meant])
  })

  it.each([
    ['us_los_angeles', 'us_ca_los_angeles'],
    ['us_losangeles', 'us_ca_los_angeles'],
    ['us_ca_losangeles', 'us_ca_los_angeles'],
    ['us_ny_los_angeles', 'us_ca_los_angeles'],
    ['us_ca_los_angelos', 'us_ca_los_angeles'],
    ['us_los_angelos', 'us_ca_los_angeles'],
    ['us_ca_singapore', null],
    ['sg_singapur', 'sg_singapore'],
  ])('%s is corrected to the city %s', async (said, meant) => {
    expect(await nearestTo({ cities: [said] })).toEqual([meant])
  })

  it('are judged by the current inventory', async () => {
    expect(await nearestTo({ states: ['us_tx'] })).not.toEqual([])
    await load('more', [row({ country: 'us', state: 'us_tx' })])
    expect(await judge({ states: ['us_tx'] })).toEqual([])
    await removeInventory(database.db, 'more')
    expect(await judge({ states: ['us_tx'] })).toHaveLength(1)
  })
})

describe('an inventory of one exit', () => {
  it('applies to that exit only', async () => {
    const one = await addExit('datacenter', 'one')
    const two = await addExit('datacenter', 'two')
    const of = (country: string, state: string) => row({ pool: 'datacenter', country, state })
    await load(`exit_${one}`, [of('us', 'us_ca'), of('fr', 'fr_idf')], one)
    await load(`exit_${two}`, [of('us', 'us_ny')], two)
    const states = async (...ids: string[]) =>
      await strangePlaces(database.db, { ...nothing, pool: 'datacenter', states: ids })
    const [strange] = await states('us_zz')
    expect(strange?.ofPool).toBe(false)
    expect(strange?.exits.toSorted()).toEqual([one, two])
    expect(await states('fr_zz')).toMatchObject([{ ofPool: false, exits: [one] }])
    expect(await states('us_ca', 'us_ny')).toEqual([])
    await load('whole_pool', [of('us', 'us_tx')])
    expect(await states('us_zz', 'fr_zz')).toMatchObject([{ ofPool: true }, { ofPool: false, exits: [one] }])
  })
})

it('gateways are notified of every change of an inventory', async () => {
  const heard: string[] = []
  let told: () => void = () => undefined
  const stop = await database.listen(feedChannel, (payload) => {
    heard.push(payload)
    told()
  })
  const next = async (change: () => Promise<unknown>) => {
    const telling = new Promise<void>((resolve) => (told = resolve))
    await change()
    await telling
    return heard.splice(0)
  }
  const event = '{"type":"places_changed"}'
  expect(await next(() => load('news', [row({ country: 'us' })]))).toEqual([event])
  expect(await next(() => load('news', [row({ country: 'fr' })]))).toEqual([event])
  expect(await next(() => removeInventory(database.db, 'news'))).toEqual([event])
  const exit = await addExit('mobile', 'passing')
  expect(await next(() => load(`exit_${exit}`, [row({ country: 'us' })], exit))).toEqual([event])
  expect(await next(() => database.db.deleteFrom('exit').where('id', '=', exit).execute())).toEqual([event])
  await stop()
})
