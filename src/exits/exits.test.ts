import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pools } from '#contract/wire'
import type { Database } from '#db'
import { feedChannel } from '#feed/announcement'
import { secretsOf } from '#lib/secret'
import { testDatabase } from '#test/database'
import { addExit, listExits, readExit, seedDemoExits, showExits } from './exits.ts'

const secrets = secretsOf('a key of the tests, long enough to be one')
let database: Database

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('exits', () => {
  it('are one direct exit for every pool in the demo, however often it is seeded', async () => {
    await Promise.all([seedDemoExits(database.db), seedDemoExits(database.db)])
    await seedDemoExits(database.db)
    const exits = await listExits(database.db, secrets)
    expect(exits.map((exit) => exit.pool).toSorted()).toEqual([...pools].toSorted())
    expect(exits[0]).toMatchObject({
      name: 'demo',
      kind: 'direct',
      bind_address: null,
      places: null,
      weight: 1,
    })
  })

  it('keep their places and their password, sealed', async () => {
    const places = [
      { country: 'us', state: 'us_ca', city: 'us_ca_los_angeles', zip: '90001', asn: 4_294_967_295 },
      { country: 'de', state: null, city: null, zip: null, asn: null },
    ]
    const id = await addExit(database.db, secrets, {
      pool: 'mobile',
      name: 'provider',
      kind: 'socks5',
      host: 'proxy.example.net',
      port: 1080,
      credentials: { username: 'me', password: 'their password' },
      weight: 7,
      places,
    })
    const exit = (await listExits(database.db, secrets)).find((one) => one.id === id)
    expect(exit).toEqual({
      id,
      pool: 'mobile',
      name: 'provider',
      kind: 'socks5',
      bind_address: null,
      host: 'proxy.example.net',
      port: 1080,
      username: 'me',
      password: 'their password',
      weight: 7,
      places: expect.arrayContaining(places) as unknown,
      preset: null,
      options: {},
      tls: false,
      tls_ca: null,
      max_connections: null,
      names: 'auto',
      plain_http: 'tunnel',
      probe_target: null,
      warm_connections: 0,
    })
    const row = await database.db
      .selectFrom('exit')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.password_sealed?.includes('their password')).toBe(false)
  })

  it('whose password cannot be unsealed are left out, and the others are not', async () => {
    const other = secretsOf('another key, also long enough to be one')
    const broken: unknown[] = []
    const names = (await listExits(database.db, other, (exit) => broken.push(exit))).map(({ name }) => name)
    const all = await listExits(database.db, secrets)
    const [lost, ...more] = all.filter(({ password }) => password !== null)
    expect(more).toEqual([])
    expect(broken).toEqual([{ pool: lost?.pool, name: lost?.name }])
    expect(names).toEqual(all.map(({ name }) => name).filter((name) => name !== lost?.name))
    expect(names.length).toBeGreaterThan(0)
    const shown = await showExits(database.db, other)
    expect(shown.filter(({ fault }) => fault !== null).map(({ id }) => id)).toEqual([lost?.id])
    await expect(readExit(database.db, other, lost?.id ?? 0n)).rejects.toThrow('another SECRET_KEY')
  })

  it('whose last place was removed serve nothing rather than everything', async () => {
    const id = await addExit(database.db, secrets, {
      pool: 'mobile',
      name: 'nowhere',
      kind: 'direct',
      bindAddress: '192.0.2.7',
      places: [],
    })
    const exit = (await listExits(database.db, secrets)).find((one) => one.id === id)
    expect(exit).toMatchObject({ bind_address: '192.0.2.7', places: [] })
  })

  it('are left out when they are disabled', async () => {
    await database.db.updateTable('exit').set({ enabled: false }).where('name', '=', 'demo').execute()
    const names = (await listExits(database.db, secrets)).map((exit) => exit.name)
    expect(names).not.toContain('demo')
  })

  it('are announced to the gateways when they change', async () => {
    const heard = Promise.withResolvers<string>()
    const stop = await database.listen(feedChannel, heard.resolve)
    await addExit(database.db, secrets, {
      pool: 'mobile',
      name: 'new',
      kind: 'direct',
      bindAddress: null,
      places: null,
    })
    expect(JSON.parse(await heard.promise)).toEqual({ type: 'exits_changed' })
    await stop()
  })

  it('need an address exactly when they are proxies', async () => {
    const insert = database.db
      .insertInto('exit')
      .values({ pool: 'mobile', name: 'wrong', kind: 'http', everywhere: true })
    await expect(insert.execute()).rejects.toThrow(/exit_has_an_address/)
  })
})
