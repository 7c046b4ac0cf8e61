import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#db'
import type { Context } from '#db/call'
import { testDatabase } from '#test/database'
import { importNames, type InventoryRow, loadInventory, removeInventory } from './inventory.ts'
import { inventoryCalls } from './inventory.calls.ts'
import { ListMemo } from './memo.ts'

const asked = { provider: 'gateway', pool: 'mobile', countries: ['us'], states: null } as const

const fresno = (count: number): InventoryRow => ({
  pool: 'mobile',
  country: 'us',
  state: 'us_ca',
  city: 'us_ca_fresno',
  zip: null,
  asn: null,
  count,
})

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const load = (name: string, count: number) =>
  loadInventory(
    database,
    { name, kind: 'import' },
    { rows: [fresno(count)], names: () => ({ places: [], networks: [] }) },
  )

beforeEach(async () => {
  for (const name of ['one', 'two']) await removeInventory(database.db, name)
  await load('one', 5)
})

describe('a list requested before', () => {
  const cities = (language: 'ru' | 'en' = 'en') =>
    inventoryCalls.proxy_cities({ ...asked, countries: [...asked.countries] }, {
      database,
      language,
    } as Context)

  it('is returned as the same frozen object', async () => {
    const first = await cities()
    expect(await cities()).toBe(first)
    expect(await cities('ru')).not.toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
  })

  it('is read again when a source is replaced, added or removed', async () => {
    expect(await cities()).toMatchObject([{ count: 5 }])
    await load('one', 6)
    expect(await cities()).toMatchObject([{ count: 6 }])
    await load('two', 10)
    expect(await cities()).toMatchObject([{ count: 16 }])
    await removeInventory(database.db, 'one')
    expect(await cities()).toMatchObject([{ count: 10 }])
    await removeInventory(database.db, 'two')
    expect(await cities()).toEqual([])
  })

  it('is read again when its places are renamed', async () => {
    expect(await cities()).toMatchObject([{ name: 'us_ca_fresno' }])
    const dir = await mkdtemp(join(tmpdir(), 'turnpike-names-'))
    try {
      const file = join(dir, 'names.csv')
      await writeFile(file, 'id,name_ru,name_en\nus_ca_fresno,Фресно,Fresno\n')
      await importNames(database, file)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
    expect(await cities()).toMatchObject([{ name: 'Fresno' }])
    expect(await cities('ru')).toMatchObject([{ name: 'Фресно' }])
  })
})

describe('a memo of lists', () => {
  it('does not keep a list read while the inventory changed', async () => {
    const memo = new ListMemo(database.db)
    const read = async (made: string) => [made]
    await memo.answer('slow', async () => {
      await load('one', 7)
      expect(await memo.answer('quick', () => read('new'))).toEqual(['new'])
      return ['old']
    })
    expect(await memo.answer('slow', () => read('new'))).toEqual(['new'])
  })

  it('evicts the least recently used lists when there are too many', async () => {
    const memo = new ListMemo(database.db)
    const big = Array.from({ length: 40_000 }, (_item, index) => index)
    const made: string[] = []
    const ask = (question: string) =>
      memo.answer(question, async () => {
        made.push(question)
        return [...big]
      })
    for (const question of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(question)
    expect(made).toEqual(['a', 'b', 'c', 'b'])
    expect(memo.size).toBe(2)
  })

  it('does not store a list whose query is very long', async () => {
    const memo = new ListMemo(database.db)
    await memo.answer('x'.repeat(60_000), async () => [1])
    expect(memo.size).toBe(0)
  })
})
