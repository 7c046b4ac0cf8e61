import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deskPath } from '#contract/desk/wire'
import { type App, app, refusalOf } from '#test/app'
import { desk, type Desk, type StaffMember } from '#test/desk'
import { openTerminal, type Terminal } from '#test/terminal'
import { inventoryCommands } from './inventory.ts'

let shop: App
let office: Desk
let owner: StaffMember
let terminal: Terminal

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  terminal = openTerminal(shop.database, [inventoryCommands])
})
afterAll(async () => {
  terminal.close()
  await office.close()
  await shop.close()
})

const header = 'pool,country,state,city,count'
const csvOf = (...lines: string[]) => [header, ...lines].join('\n')
const own = { kind: 'source', name: 'own' } as const
const first = csvOf('mobile,us,CA,Los Angeles,7', 'mobile,us,CA,Fresno,3', 'mobile,de,,,9')
const second = csvOf('mobile,us,CA,Los Angeles,8', 'mobile,fr,,,5')
const places = async () =>
  (await owner.call('places', {})).rows.map(({ pool, country, addresses }) => [pool, country, addresses])

describe('an import at the desk', () => {
  it('is previewed: counts of what is added, removed and changed, and nothing is imported', async () => {
    const before = await owner.call('preview_places', { owner: own, csv: first })
    expect(before).toMatchObject({
      faults: [],
      comparison: { rows: 3, added: 5, removed: 0, changed: 0, addresses_before: '0', addresses_after: '19' },
    })
    expect(await places()).toEqual([])
    expect(await owner.call('import_places', { owner: own, csv: first })).toEqual({ source: 'own', rows: 3 })
    const after = await owner.call('preview_places', { owner: own, csv: second })
    expect(after.comparison).toEqual({
      rows: 2,
      // France; Germany and Fresno; the United States, California and Los Angeles.
      added: 1,
      removed: 2,
      changed: 3,
      addresses_before: '19',
      addresses_after: '13',
      countries: [
        { pool: 'mobile', country: 'de', before: '9', after: '0' },
        { pool: 'mobile', country: 'fr', before: '0', after: '5' },
        { pool: 'mobile', country: 'us', before: '10', after: '8' },
      ],
    })
    expect(await owner.call('preview_places', { owner: own, csv: first })).toMatchObject({
      comparison: { added: 0, removed: 0, changed: 0, countries: [] },
    })
  })

  it('is refused with its faults by line, and changes nothing', async () => {
    const csv = csvOf('mobile,us,,,many', 'road,us,,,1', 'mobile,xx,,,1')
    const { faults, comparison } = await owner.call('preview_places', { owner: own, csv })
    expect(faults.map((fault) => /^Line \d+, column \w+/.exec(fault)?.[0])).toEqual([
      'Line 2, column count',
      'Line 3, column pool',
      'Line 4, column country',
    ])
    expect(comparison).toBeNull()
    const before = await places()
    expect((await refusalOf(owner.call('import_places', { owner: own, csv }))).code).toBe('invalid_places')
    for (const name of ['demo', 'exit_1', 'Own', ''])
      expect(
        (await refusalOf(owner.call('import_places', { owner: { kind: 'source', name }, csv: first }))).code,
      ).toBe('invalid_places')
    expect(await places()).toEqual(before)
  })

  it('can be reverted to an earlier file; the last three are kept', async () => {
    await owner.call('import_places', { owner: own, csv: second })
    expect(await places()).toEqual([
      ['mobile', 'fr', '5'],
      ['mobile', 'us', '8'],
    ])
    const files = async () =>
      (await owner.call('place_sources', {})).find(({ name }) => name === 'own')?.files ?? []
    const [, before] = await files()
    expect(await owner.call('restore_places', { file_id: before?.id ?? '' })).toEqual({
      source: 'own',
      rows: 3,
    })
    expect(await places()).toEqual([
      ['mobile', 'de', '9'],
      ['mobile', 'us', '10'],
    ])
    await owner.call('import_places', { owner: own, csv: second })
    expect((await files()).map(({ rows }) => rows)).toEqual(['2', '3', '2'])
    expect((await refusalOf(owner.call('restore_places', { file_id: '999999' }))).code).toBe(
      'places_file_not_found',
    )
  })

  it('is recorded with what it replaced, also when two members import at the same time', async () => {
    const both = { kind: 'source', name: 'both' } as const
    await owner.call('import_places', { owner: both, csv: csvOf('mobile,nl,,,1') })
    const other = await office.staff('operator')
    const loaded = csvOf(...Array.from({ length: 500 }, (_, index) => `mobile,fr,,,${index + 1}`))
    await Promise.all(
      [owner, other].map((member) => member.call('import_places', { owner: both, csv: loaded })),
    )
    await owner.call('remove_places', { source: 'both', reason: 'a test' })
    const { rows } = await owner.call('audit', { subject_kind: 'inventory', subject_id: 'both' })
    expect(rows.map(({ action, before }) => [action, before])).toEqual([
      ['remove_places', { rows: '500', addresses: '125250' }],
      ['import_places', { rows: '500', addresses: '125250' }],
      ['import_places', { rows: '1', addresses: '1' }],
      ['import_places', null],
    ])
  })

  it('of an exit is for its pool alone, and named by it in the list', async () => {
    const { rows } = await shop.database.pool.query<{ id: bigint }>(
      `insert into exit (pool, name, kind, everywhere) values ('datacenter', 'dc-1', 'direct', true) returning id`,
    )
    const exit = { kind: 'exit', id: String(rows[0]?.id) } as const
    const { faults } = await owner.call('preview_places', { owner: exit, csv: first })
    expect(faults[0]).toContain('the exit dc-1 is one of datacenter, not mobile')
    await owner.call('import_places', { owner: exit, csv: csvOf('datacenter,nl,,,4') })
    expect((await owner.call('places', { pool: 'datacenter' })).rows).toEqual([
      { pool: 'datacenter', country: 'nl', addresses: '4', states: 0, cities: 0, from: ['dc-1'] },
    ])
    const page = await owner.call('places', { limit: 1 })
    expect(page.rows[0]?.country).toBe('nl')
    const next = await owner.call('places', { limit: 1, after: page.next ?? '' })
    expect(next.rows[0]?.pool).toBe('mobile')
    const unknown = { kind: 'exit', id: '999999' } as const
    expect((await refusalOf(owner.call('preview_places', { owner: unknown, csv: first }))).code).toBe(
      'exit_not_found',
    )
  })

  it('has a size limit, and a large body is read for members only who may import', async () => {
    const body = JSON.stringify({ owner: own, csv: 'x'.repeat(33 * 1024 * 1024) })
    const send = (member: StaffMember['browser'], text: string) =>
      member
        .fetch(deskPath('import_places'), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: text,
        })
        .then(({ status }) => status)
    expect(await send(owner.browser, body)).toBe(413)
    const viewer = await office.staff('viewer')
    // Refused by the head of the request: the body is not even JSON.
    expect(await send(viewer.browser, 'x')).toBe(403)
    expect(await send(office.browser(), 'x')).toBe(401)
    expect(await send(owner.browser, 'x')).toBe(400)
  })
})

describe('the command line', () => {
  it('records imports, names and removals, and its files can be reverted at the desk', async () => {
    const file = path.join(terminal.dataDir, 'places.csv')
    writeFileSync(file, first)
    await terminal.run('inventory', 'import', file, '--source', 'typed')
    const names = path.join(terminal.dataDir, 'names.csv')
    writeFileSync(names, 'id,name_ru,name_en\nus_ca,Калифорния,The Golden State\n')
    await terminal.run('inventory', 'names', names)
    await terminal.run('inventory', 'remove', 'typed', '--yes')
    const { rows } = await owner.call('audit', { subject_kind: 'inventory' })
    const typed = rows.filter(({ actor }) => actor.kind === 'system')
    expect(typed.map(({ action, subject_id: subject }) => [action, subject])).toEqual([
      ['remove_places', 'typed'],
      ['name_places', 'names'],
      ['import_places', 'typed'],
    ])
    expect(typed[0]).toMatchObject({ before: { rows: '3', addresses: '19' } })
  })
})
