import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import {
  asnsOf,
  citiesOf,
  countriesOf,
  ImportFault,
  importInventory,
  importNames,
  listInventory,
  removeInventory,
  statesOf,
  unknownPlaces,
  zipsOf,
} from './inventory.ts'

let database: Database
let folder = ''
let files = 0
const en = { pool: 'mobile', language: 'en' } as const
const ru = { pool: 'mobile', language: 'ru' } as const
/** An author, and a callback that does nothing in the transaction. */
const quietly = { by: 'a test', at: new Date(), onLoaded: async () => undefined }
const header = 'pool,country,state,city,zip,asn,as_name,count'

beforeAll(async () => {
  database = await testDatabase()
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-import-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.close()
})
beforeEach(async () => {
  for (const { name } of await listInventory(database.db)) await removeInventory(database.db, name)
  await database.db.deleteFrom('inventory_name').execute()
})

function fileOf(content: string | Buffer): string {
  const file = path.join(folder, `${++files}.csv`)
  writeFileSync(file, content)
  return file
}

const load = (lines: string[], importer: Parameters<typeof importInventory>[2] = { source: 'own' }) =>
  importInventory(database, fileOf(lines.join('\n')), importer, quietly)

/** The sentences with which a file is refused. */
async function faultsOf(work: Promise<unknown>): Promise<string[]> {
  const error: unknown = await work.then(
    () => new Error('the file was expected to be refused'),
    (fault: unknown) => fault,
  )
  if (!(error instanceof ImportFault)) throw error
  return error.message.split('\n')
}

describe('a file', () => {
  it('appears in all lists, with ids of the grammar and names in both languages', async () => {
    const imported = await load([
      header,
      'mobile,US,CA,Los Angeles,90001,AS7018,AT&T,7',
      'mobile,us,California,Лос-Анджелес,90001,7922,"Comcast, ""Cable""",3',
      'mobile,us,us_ca,Nowhere Springs,93701,7018,Another name,5',
      'mobile,us,New Land,,,,,2',
      'mobile,sg,,Singapore,018956,,,9',
      'mobile,gb,ENG,London,SW1A 1AA,,,1',
    ])
    expect(imported).toEqual({ source: 'own', rows: 6 })
    expect(await countriesOf(database.db, en)).toEqual([
      { code: 'us', name: 'United States', count: 17 },
      { code: 'sg', name: 'Singapore', count: 9 },
      { code: 'gb', name: 'United Kingdom', count: 1 },
    ])
    expect(await statesOf(database.db, ru, { countries: ['us'] })).toEqual([
      { code: 'us_ca', name: 'Калифорния', count: 15, country_code: 'us' },
      { code: 'us_newland', name: 'New Land', count: 2, country_code: 'us' },
    ])
    const us = { countries: ['us', 'sg'], states: [] }
    expect(await citiesOf(database.db, ru, us)).toEqual([
      {
        code: 'us_ca_los_angeles',
        name: 'Лос-Анджелес',
        count: 10,
        state_code: 'us_ca',
        country_code: 'us',
      },
      { code: 'sg_singapore', name: 'Сингапур', count: 9, state_code: null, country_code: 'sg' },
      {
        code: 'us_ca_nowhere_springs',
        name: 'Nowhere Springs',
        count: 5,
        state_code: 'us_ca',
        country_code: 'us',
      },
    ])
    const la = { countries: ['us'], states: ['us_ca'], cities: ['us_ca_los_angeles'] }
    expect(await asnsOf(database.db, en, la)).toEqual([
      { asn: 7018, name: 'AT&T', count: 7 },
      { asn: 7922, name: 'Comcast, "Cable"', count: 3 },
    ])
    expect(await zipsOf(database.db, en, { countries: ['gb', 'us'], states: [] })).toEqual([
      { code: '90001', name: 'Los Angeles', count: 10 },
      { code: '93701', name: 'Nowhere Springs', count: 5 },
      { code: 'sw1a_1aa', name: 'London', count: 1 },
    ])
    const named = { countries: ['us'], states: ['us_newland', 'us_ca'], cities: ['us_ca_nowhere_springs'] }
    const rest = { zips: ['93701'], asns: [7922], excludedAsns: [] }
    expect(await unknownPlaces(database.db, 'mobile', { ...named, ...rest })).toEqual([])
  })

  it.each([
    ['semicolons, another order and fewer columns', 'count;pool;country\r\n5;mobile;de\r\n'],
    ['tabs', 'country\tpool\tcount\nde\tmobile\t5'],
    ['a byte order mark and capitals', '\u{feff}Country,Pool,Count\nDE,Mobile,5\n\n'],
    ['quotes and spaces', '"country","pool", count\n" de ","mobile",5\n'],
  ])('accepts %s', async (_what, content) => {
    await importInventory(database, fileOf(content), { source: 'own' }, quietly)
    expect(await countriesOf(database.db, en)).toEqual([{ code: 'de', name: 'Germany', count: 5 }])
  })

  it('replaces the previous one of its source as a whole, and no other', async () => {
    await load([header, 'mobile,us,CA,Fresno,93701,7018,AT&T,5', 'datacenter,fr,,,,,,2'])
    await load([header, 'mobile,us,,,,,,1'], { source: 'other' })
    await load([header, 'mobile,de,,,,,,4'])
    expect(await countriesOf(database.db, en)).toMatchObject([
      { code: 'de', count: 4 },
      { code: 'us', count: 1 },
    ])
    expect(await countriesOf(database.db, { ...en, pool: 'datacenter' })).toEqual([])
    expect(await listInventory(database.db)).toMatchObject([
      {
        name: 'other',
        kind: 'import',
        exitId: null,
        rows: 1n,
        countries: 1,
        addresses: 1n,
        pools: ['mobile'],
      },
      { name: 'own', kind: 'import', exitId: null, rows: 1n, countries: 1, addresses: 4n, pools: ['mobile'] },
    ])
    for (const table of ['inventory_area', 'inventory_asn_city', 'inventory_asn_country'] as const) {
      const left = await database.db.selectFrom(table).select('country').where('source', '=', 'own').execute()
      expect(left.filter(({ country }) => country !== 'de')).toEqual([])
    }
  })

  it('accepts a city with its state and without', async () => {
    await load([header, 'mobile,us,CA,Fresno,,7018,,5', 'mobile,us,,us_ca_fresno,,7018,,2'])
    const fresno = { countries: ['us'], states: [], cities: ['us_ca_fresno'] }
    expect(await asnsOf(database.db, en, fresno)).toEqual([{ asn: 7018, name: 'Unknown', count: 7 }])
    expect(await citiesOf(database.db, en, { countries: ['us'], states: [] })).toMatchObject([{ count: 7 }])
  })
})

describe('a file with a fault', () => {
  it.each([
    ['satellite,us,,,,,,1', 'column pool: “satellite” is none of'],
    ['mobile,uk,,,,,,1', 'column country: “uk” is no country code'],
    ['mobile,us,de_by,,,,,1', 'column state: “de_by” is not in the country “us”'],
    ['mobile,us,Нигде,,,,,1', 'column state: “Нигде” has no Latin letters'],
    ['mobile,us,CA,us_ny_albany,,,,1', 'column city: “us_ny_albany” is not in “us_ca”'],
    ['mobile,us,CA,"two\nlines",,,,1', 'column city: a name has no control characters'],
    ['mobile,us,,,12345678901234567,,,1', 'column zip: “12345678901234567” is no zip code'],
    ['mobile,us,,,,AS0,,1', 'column asn: “AS0” is not an AS number'],
    ['mobile,us,,,,4294967296,,1', 'column asn: “4294967296” is not an AS number'],
    ['mobile,us,,,,,AT&T,1', 'column as_name: “AT&T” has no number'],
    ['mobile,us,,,,,,0', 'column count: “0” is not a number of addresses'],
    ['mobile,us,,,,,,1.5', 'column count: “1.5” is not a number of addresses'],
    ['mobile,us,,,,,,', 'column count: “” is not a number of addresses'],
    ['mobile,us', '2 fields, but the header has 8.'],
    ['mobile,us,"CA,,,,,1', 'a quote that is never closed'],
    ['mobile,us,C"A,,,,,1', 'a quote stands inside a field'],
  ])('changes nothing and is refused with the place: %s', async (line, sentence) => {
    await load([header, 'mobile,fr,,,,,,3'])
    const [fault = '', ...others] = await faultsOf(load([header, 'mobile,de,,,,,,5', line]))
    expect(others).toEqual([])
    expect(fault).toMatch(/^Line [34](, column|: )/)
    expect(fault).toContain(sentence)
    expect(await countriesOf(database.db, en)).toMatchObject([{ code: 'fr', count: 3 }])
  })

  it('is refused with ten faults at most', async () => {
    const faults = await faultsOf(load([header, ...Array<string>(50).fill('mobile,us,,,,,,x')]))
    expect(faults).toHaveLength(10)
    expect(faults[9]).toContain('Line 11, column count')
  })

  it.each([
    ['', 'The file is empty'],
    [header, 'The file has a header and no rows'],
    ['pool,country,amount\nmobile,us,1', 'Line 1: there is no column “amount”'],
    ['pool,country\nmobile,us', 'Line 1: the column count is missing'],
    ['pool,country,count,pool\nmobile,us,1,mobile', 'Line 1: the column pool stands there twice'],
  ])('is refused for its header: %j', async (content, sentence) => {
    const faults = await faultsOf(importInventory(database, fileOf(content), { source: 'own' }, quietly))
    expect(faults.join()).toContain(sentence)
    expect(await listInventory(database.db)).toEqual([])
  })

  it('is refused when it is missing, or not text', async () => {
    const missing = importInventory(database, path.join(folder, 'missing.csv'), { source: 'own' }, quietly)
    expect(await faultsOf(missing)).toEqual([expect.stringContaining('cannot be read')])
    expect(await faultsOf(importInventory(database, folder, { source: 'own' }, quietly))).toHaveLength(1)
    const latin1 = Buffer.from(`${header}\nmobile,de,Th\u00fcringen,,,,,1`, 'latin1')
    const faults = await faultsOf(importInventory(database, fileOf(latin1), { source: 'own' }, quietly))
    expect(faults).toEqual([expect.stringMatching(/^Line 2, column state: .* is not in UTF-8\.$/)])
  })
})

describe('an exit', () => {
  const addExit = async () => {
    const { id } = await database.db
      .insertInto('exit')
      .values({ pool: 'mobile', name: `exit ${Math.random()}`, kind: 'direct', everywhere: true })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, pool: 'mobile', name: 'the exit' } as const
  }

  it('has its own inventory, which is deleted with it', async () => {
    const exit = await addExit()
    await load([header, 'mobile,us,,,,,,3'])
    await load([header, 'mobile,us,CA,Fresno,93701,7018,AT&T,5'], { exit })
    await load([header, 'mobile,us,CA,Fresno,93701,7018,AT&T,6'], { exit })
    expect(await countriesOf(database.db, en)).toMatchObject([{ count: 9 }])
    expect(await listInventory(database.db)).toMatchObject([
      { name: `exit_${exit.id}`, exitId: exit.id },
      { name: 'own' },
    ])
    await database.db.deleteFrom('exit').where('id', '=', exit.id).execute()
    expect(await countriesOf(database.db, en)).toMatchObject([{ count: 3 }])
    expect(await citiesOf(database.db, en, { countries: ['us'], states: [] })).toEqual([])
  })

  it('accepts addresses of its own pool only', async () => {
    const faults = await faultsOf(load([header, 'datacenter,us,,,,,,3'], { exit: await addExit() }))
    expect(faults).toEqual(['Line 2, column pool: the exit the exit is one of mobile, not datacenter.'])
  })

  it.each(['demo', 'exit_1', 'My source', ''])('or the demo reserves its source name: %j', async (source) => {
    expect(await faultsOf(load([header, 'mobile,us,,,,,,3'], { source }))).toHaveLength(1)
    expect(await listInventory(database.db)).toEqual([])
  })
})

describe('names', () => {
  const name = (lines: string[]) => importNames(database, fileOf(['id,name_ru,name_en', ...lines].join('\n')))
  const us = { countries: ['us'], states: [] }

  it('apply immediately, to later imports, and everywhere', async () => {
    const lines = [
      header,
      'mobile,us,CA,Fresno,93701,,,5',
      'mobile,us,CA,New Town,93702,,,4',
      'mobile,us,,Oz,1,,,3',
    ]
    await load(lines)
    expect(await name(['us_ca,Калифорния!,California!', 'us_ca_new_town,Новый город,New Town'])).toBe(2)
    const seen = async () => ({
      states: (await statesOf(database.db, ru, us)).map((state) => state.name),
      cities: (await citiesOf(database.db, ru, us)).map((city) => city.name),
      zips: (await zipsOf(database.db, ru, us)).map((zip) => zip.name),
    })
    const expected = {
      states: ['Калифорния!'],
      cities: ['Фресно', 'Новый город', 'Oz'],
      zips: ['Фресно', 'Новый город', 'Oz'],
    }
    expect(await seen()).toEqual(expected)
    await load(lines)
    expect(await seen()).toEqual(expected)
    await name(['us_oz,Оз,Oz'])
    expect(await seen()).toMatchObject({ cities: ['Фресно', 'Новый город', 'Оз'] })
  })

  it('with a fault are refused', async () => {
    await load([header, 'mobile,us,CA,Fresno,93701,,,5'])
    const faults = await faultsOf(name(['us_ca,А,A', 'us_ca,Б,B', 'ca,В,C', 'us_ny,,D', 'zz_a,Г,E']))
    expect(faults).toEqual([
      'Line 3, column id: “us_ca” stands there twice.',
      'Line 4, column id: “ca” is no id of a state or a city, such as us_ca or us_ca_fresno.',
      'Line 5, column name_ru: the name is missing.',
      'Line 6, column id: “zz_a” is no id of a state or a city, such as us_ca or us_ca_fresno.',
    ])
    expect((await statesOf(database.db, ru, us))[0]?.name).toBe('Калифорния')
  })
})
