import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { openTerminal, type Terminal } from '#test/terminal'
import { inventoryCheck } from './doctor/shop.ts'
import { inventoryCommands } from './inventory.ts'

let shop: App
let terminal: Terminal

beforeAll(async () => {
  shop = await app()
  terminal = openTerminal(shop.database, [inventoryCommands])
  await shop.database.db
    .insertInto('exit')
    .values(
      (['mobile', 'datacenter'] as const).flatMap((pool) => [
        { pool, name: 'everywhere', kind: 'direct', everywhere: true },
        { pool, name: `only ${pool}`, kind: 'direct', everywhere: true },
      ]),
    )
    .execute()
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})
beforeEach(async () => {
  await shop.database.db.deleteFrom('inventory_source').execute()
})

/** What `turnpike inventory …` prints. */
const run: Terminal['run'] = (...words) => terminal.run('inventory', ...words)
const data: Terminal['data'] = (...words) => terminal.data('inventory', ...words)

function fileOf(name: string, ...lines: string[]): string {
  const file = path.join(terminal.dataDir, name)
  writeFileSync(file, lines.join('\n'))
  return file
}

const header = 'pool,country,state,city,zip,asn,as_name,count'
const file = () => fileOf('good.csv', header, 'mobile,us,CA,Fresno,93701,7018,AT&T,5', 'mobile,de,,,,,,2')

describe('turnpike inventory', () => {
  it('shows imported places to customers until they are removed', async () => {
    expect(await run('list')).toBe('There is no inventory: customers have no places to choose.\n')
    expect(await run('import', file(), '--source', 'maxmind')).toMatch(
      /^2 rows with 7 addresses are in use as maxmind, after \d+\.\d s\.\n$/,
    )
    const seen = await shop.anyone('proxy_cities', {
      provider: 'gateway',
      pool: 'mobile',
      countries: ['us'],
      states: null,
    })
    expect(seen).toMatchObject([{ code: 'us_ca_fresno', name: 'Фресно', count: 5 }])
    expect(await run()).toMatch(/^SOURCE +OF +POOLS .*\nmaxmind +import +mobile +2 +7 +2 +\d{4}-/)
    expect(await data('remove', 'maxmind', '--yes')).toEqual({ removed: 'maxmind' })
    expect(await data('list')).toEqual([])
    await expect(run('remove', 'maxmind')).rejects.toThrow('There is no source maxmind.')
  })

  it('is imported for an exit, given by name or number', async () => {
    const exits = await shop.database.db.selectFrom('exit').select(['id', 'name', 'pool']).execute()
    const exit = exits.find(({ name }) => name === 'only mobile')
    expect(await data('import', file(), '--exit', 'only mobile')).toMatchObject({
      source: `exit_${exit?.id}`,
      rows: 2,
      addresses: 7,
    })
    await run('import', file(), '--exit', String(exit?.id))
    expect(await data()).toEqual([
      {
        source: `exit_${exit?.id}`,
        demo: false,
        exit: 'only mobile',
        exit_id: Number(exit?.id),
        pools: ['mobile'],
        countries: 2,
        addresses: 7,
        rows: 2,
        loaded_at: expect.stringMatching(/^\d{4}-/),
      },
    ])
    await expect(run('import', file(), '--exit', 'everywhere')).rejects.toThrow(
      /^Several exits are called everywhere; say the number of one: \d+ \(mobile\), \d+ \(datacenter\)\.$/,
    )
    await expect(run('import', file(), '--exit', 'nowhere')).rejects.toThrow('There is no exit nowhere.')
    await expect(run('import', file(), '--exit', 'only datacenter')).rejects.toThrow(/Line 2, column pool/)
    await expect(run('import', file())).rejects.toThrow('The source is missing: add --exit or --source.')
    await expect(run('import', file(), '--exit', '1', '--source', 'a')).rejects.toThrow('cannot be used')
  })

  it('reports the faults of a file', async () => {
    const bad = fileOf('bad.csv', header, 'mobile,us,,,,,,many', 'mobile,xx,,,,,,1')
    await expect(run('import', bad, '--source', 'bad')).rejects.toThrow(
      [
        'Nothing was changed:',
        'Line 2, column count: “many” is not a number of addresses, 1 to 4294967296.',
        'Line 3, column country: “xx” is no country code of ISO 3166-1, such as us.',
      ].join('\n'),
    )
    await expect(run('names', bad)).rejects.toThrow('there is no column “pool”')
    expect(await data('list')).toEqual([])
  })

  it('uses the operator’s names of places', async () => {
    await run('import', file(), '--source', 'maxmind')
    const names = fileOf('names.csv', 'id,name_ru,name_en', 'us_ca,Золотой штат,Golden State')
    expect(await run('names', names)).toBe('One name is in use.\n')
    expect(await data('names', names)).toEqual({ names: 1 })
    const states = await shop.anyone('proxy_states', {
      provider: 'gateway',
      pool: 'mobile',
      countries: ['us'],
    })
    expect(states).toMatchObject([{ name: 'Золотой штат' }])
  })

  it('is distinguished from the demo', async () => {
    await shop.database.db
      .insertInto('inventory_source')
      .values({ name: 'demo', kind: 'demo', rows: 0n })
      .execute()
    expect(await run('list')).toContain('demo: made up')
    expect(await data('list')).toMatchObject([{ source: 'demo', demo: true }])
    // In a shop that is not a demo, `turnpike doctor` reports it.
    const { db } = shop.database
    expect(await inventoryCheck(db, { demo: true })).toMatchObject({ severity: 'ok' })
    expect(await inventoryCheck(db, { demo: false })).toMatchObject({
      severity: 'trouble',
      sentence: expect.stringContaining('turnpike inventory remove demo'),
    })
    expect(await run('import', file(), '--source', 'own')).toContain(
      '`turnpike inventory remove demo` ends that',
    )
    await run('remove', 'demo', '--yes')
    expect(await inventoryCheck(db, { demo: false })).toMatchObject({ severity: 'ok' })
    expect(await run('import', file(), '--source', 'own')).not.toContain('demo')
  })
})
