/** SECRET_KEY against a database: a wrong one, a new one, a lost one. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { transaction } from '#db'
import { addExit, listExits } from '#exits'
import { loadSecretKey, secretsOf } from '#lib/secret'
import { sealToken, sendMail } from '#mail'
import { ensureAccess, sealedProxyPasswords, accessesOf } from '#proxies'
import { type App, app, testSecretKey } from '#test/app'
import { newAccount } from '#test/people'
import { listAudit } from '#staff'
import { openTerminal, type Terminal } from '#test/terminal'
import { KeyFault } from '../keys/keys.ts'
import { openMigrated } from '../services.ts'
import { readSettings } from '../settings/settings.ts'
import { exitsCommands } from './exits/exits.ts'
import { keyCommands } from './key.ts'

const newKey = 'the next key of the tests, long enough to be one'
const secrets = secretsOf(testSecretKey)
let shop: App
let terminal: Terminal
let accountId: bigint

beforeAll(async () => {
  shop = await app()
  terminal = openTerminal(shop.database, [keyCommands, exitsCommands])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  terminal.close()
  await shop.close()
})
afterEach(() => {
  vi.stubEnv('SECRET_KEY', testSecretKey)
  vi.stubEnv('SECRET_KEY_OLD', '')
})

const run: Terminal['run'] = (...words) => terminal.run(...words)
const db = () => shop.database.db
const use = (key: string, old = '') => {
  vi.stubEnv('SECRET_KEY', key)
  vi.stubEnv('SECRET_KEY_OLD', old)
}
const mark = () => db().selectFrom('secret_key_check').selectAll().executeTakeFirst()
const start = async () => {
  const services = await openMigrated(readSettings(process.env, terminal.dataDir), 'guest')
  await services.database.close()
}
const addExitCalled = (name: string) =>
  addExit(db(), secrets, {
    pool: 'mobile',
    name,
    kind: 'http',
    host: 'proxy.example.net',
    port: 8080,
    credentials: { username: 'me', password: `password of ${name}` },
    places: null,
  })
const exitNames = async (key: string) => (await listExits(db(), secretsOf(key))).map(({ name }) => name)

/** One secret of each kind. */
async function sealOneOfEach() {
  accountId = await newAccount(db())
  await transaction(db(), (tx) => ensureAccess(tx, secrets, { accountId, pool: 'mobile' }))
  await addExitCalled('first')
  const { call } = await shop.customer()
  await call('reseller_token', {}, { idempotencyKey: 'k' })
  const to = 'somebody@example.com'
  await transaction(db(), (tx) =>
    sendMail(tx, {
      template: 'reset_password',
      to,
      language: 'en',
      data: { username: null, sealed_token: sealToken(secrets, 'the token', to) },
    }),
  )
}

describe('a database without a mark', () => {
  it('gets none with a key that opens nothing, and is not started with it', async () => {
    await sealOneOfEach()
    use(newKey)
    await expect(start()).rejects.toThrow(KeyFault)
    await expect(run('exits', 'list')).rejects.toThrow(
      'This database is sealed with another key than SECRET_KEY: put the right one back.',
    )
    expect(await mark()).toBeUndefined()
  })

  it('gets none when one value cannot be opened, and is started anyway', async () => {
    const broken = await addExitCalled('broken')
    await db()
      .updateTable('exit')
      .set({ password_sealed: secretsOf(newKey).seal('x', 'y') })
      .where('id', '=', broken)
      .execute()
    await start()
    expect(await mark()).toBeUndefined()
    expect(await run('exits', 'list')).toMatch(
      /\(broken\) is out of order\. Its password is sealed with another/,
    )
    await db().deleteFrom('exit').where('id', '=', broken).execute()
  })

  it('gets one with a key that opens everything, and refuses other keys afterwards', async () => {
    await start()
    const made = await mark()
    expect(made).toBeDefined()
    await start()
    expect(await mark()).toEqual(made)
    use(newKey)
    await expect(start()).rejects.toThrow(KeyFault)
    // Also when nothing is sealed that it could not open.
    await transaction(db(), async (tx) => {
      await tx.deleteFrom('secret_key_check').execute()
      await tx
        .insertInto('secret_key_check')
        .values({ sealed: secrets.seal('x', 'y') })
        .execute()
    })
    use(testSecretKey)
    await expect(start()).rejects.toThrow(KeyFault)
    await db().deleteFrom('secret_key_check').execute()
    await start()
  })
})

describe('turnpike key rotate', () => {
  it('requires both keys, prints what it would do, and does nothing without confirmation', async () => {
    await expect(run('key', 'rotate', '--yes')).rejects.toThrow('Set SECRET_KEY to the new key')
    use(newKey, testSecretKey)
    const said = await run('key', 'rotate', '--dry-run')
    expect(said).toContain('proxy passwords: 1, of which 1 with the old key, and 0 do not open.')
    expect(said).toContain('Nothing was done.')
    await expect(run('key', 'rotate')).rejects.toThrow('confirmation needs a terminal. Add --yes')
    expect(await exitNames(newKey)).not.toContain('first')
    await expect(run('key', 'rotate', '--yes', '--dry-run')).rejects.toThrow('cannot be used with')
  })

  it('reseals all values, continues where it stopped, and leaves values that it cannot open', async () => {
    use(newKey, testSecretKey)
    await start()
    const broken = await addExitCalled('broken')
    const damaged = Buffer.from('damaged')
    await db().updateTable('exit').set({ password_sealed: damaged }).where('id', '=', broken).execute()
    // As an earlier run left it that was cut short.
    const both = secretsOf(newKey, testSecretKey)
    const half = await addExitCalled('half')
    const before = await db().selectFrom('exit').selectAll().where('id', '=', half).executeTakeFirstOrThrow()
    const anew = both.reseal(before.password_sealed ?? Buffer.of(), 'exit-password:mobile:half')
    await db().updateTable('exit').set({ password_sealed: anew }).where('id', '=', half).execute()

    const result = (await terminal.data('key', 'rotate', '--yes')) as { resealed: unknown }
    expect(result.resealed).toEqual([
      { what: 'settings of the desk', resealed: 0 },
      { what: 'second factors of staff', resealed: 0 },
      { what: 'second factors that staff are setting up', resealed: 0 },
      { what: 'second factors of invited staff', resealed: 0 },
      { what: 'logins of exits', resealed: 1 },
      { what: 'credentials of sellers’ accounts', resealed: 0 },
      { what: 'saved payment methods', resealed: 0 },
      { what: 'second factors of customers', resealed: 0 },
      { what: 'API tokens', resealed: 1 },
      // With the one that confirms the customer's address.
      { what: 'tokens in letters', resealed: 2 },
      { what: 'proxy passwords', resealed: 1 },
      { what: 'passwords of proxy users', resealed: 0 },
      { what: 'answers of repeated calls', resealed: 1 },
      { what: 'checks of the key', resealed: 1 },
    ])
    expect((await exitNames(newKey)).toSorted()).toEqual(['first', 'half'])
    const row = await db().selectFrom('exit').selectAll().where('id', '=', broken).executeTakeFirstOrThrow()
    expect(row.password_sealed).toEqual(damaged)
    await db().deleteFrom('exit').where('id', '=', broken).execute()
    const again = (await terminal.data('key', 'rotate', '--yes')) as { resealed: { resealed: number }[] }
    expect(again.resealed.every(({ resealed }) => resealed === 0)).toBe(true)
    use(newKey)
    await start()
    use(testSecretKey)
    await expect(start()).rejects.toThrow(KeyFault)
  })

  it('does not overwrite a password that is reset meanwhile', async () => {
    use(newKey)
    const [known] = await accessesOf(db(), secretsOf(newKey), accountId)
    expect(known?.password).toHaveLength(16)
    const [value] = await sealedProxyPasswords.read(db(), { after: null, limit: 1 })
    if (value === undefined) throw new Error('there is one')
    await db()
      .updateTable('access')
      .set({ password_sealed: Buffer.from('reset meanwhile') })
      .where('account_id', '=', accountId)
      .execute()
    expect(await sealedProxyPasswords.write(db(), value, Buffer.from('sealed anew'))).toBe(false)
    const left = await db().selectFrom('access').selectAll().where('account_id', '=', accountId).execute()
    expect(left.map((row) => row.password_sealed.toString())).toEqual(['reset meanwhile'])
  })
})

it('turnpike key accept-loss accepts another key, and prints what is lost', async () => {
  const third = 'a third key, for the second one is lost'
  use(third)
  await expect(start()).rejects.toThrow('turnpike key accept-loss')
  expect(await run('key', 'accept-loss', '--dry-run')).toContain(
    'logins of exits: 2, of which 0 with the old key, and 2 do not open (first of mobile; half of mobile).',
  )
  await expect(start()).rejects.toThrow(KeyFault)
  await run('key', 'accept-loss', '--yes')
  await start()
  await expect(run('key')).resolves.toContain('do not open')
  expect(process.exitCode).toBe(1)
  process.exitCode = undefined
})

it('the key in the data directory is replaced by the first run, and used by the second', async () => {
  await db().deleteFrom('secret_key_check').execute()
  await db().deleteFrom('exit').execute()
  await db().deleteFrom('reseller_token').execute()
  await db().deleteFrom('mail').execute()
  await db().deleteFrom('access').execute()
  use('')
  const key = path.join(terminal.dataDir, 'secret')
  writeFileSync(key, `${testSecretKey}\n`)
  await addExitCalled('of the file')
  expect(await run('key', 'rotate', '--yes')).toContain('Restart every part of Turnpike')
  const result = (await terminal.data('key', 'rotate', '--yes')) as { next: string }
  expect(result.next).toContain(`delete ${key}.old`)
  const now = loadSecretKey({ secretKey: null, dataDir: terminal.dataDir })
  expect((await listExits(db(), now)).map(({ password }) => password)).toEqual(['password of of the file'])
  expect(await exitNames(testSecretKey)).toEqual([])
  const told = await listAudit(db(), { subjectKind: 'key' }, { before: null, limit: 9 })
  expect(told.map(({ action }) => action)).toEqual([
    'rotate_key',
    'make_key',
    'accept_key_loss',
    'rotate_key',
    'rotate_key',
  ])
})
