import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type App, app } from '#test/app'
import { FakeSeller, sellerCases } from '#test/sellers/fakes'
import { openTerminal, type Terminal } from '#test/terminal'
import { sellersCommands } from './sellers.ts'

const gb = 1_000_000_000n
const answers = sellerCases.find(({ name }) => name === 'geonode')?.answers ?? (() => null)
const fake = new FakeSeller(answers, { today: '', leftBytes: 25n * gb, usage: new Map(), countries: {} })
let shop: App
let terminal: Terminal
let file: string

beforeAll(async () => {
  await fake.start()
  shop = await app()
  terminal = openTerminal(shop.database, [sellersCommands])
  vi.stubEnv('SELLER_API_BASES', `geonode=${fake.url.origin}`)
  file = path.join(terminal.dataDir, 'credentials')
  writeFileSync(file, 'api_key=the-secret-of-tests\nuser_id=77\n')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  terminal.close()
  await shop.close()
  fake.stop()
})

const run: Terminal['run'] = (...words) => terminal.run('sellers', ...words)

it('turnpike sellers adds an account, reads it, lists it without credentials, and removes it', async () => {
  await shop.database.pool.query(
    `insert into exit (pool, name, kind, everywhere) values ('residential', 'bought', 'direct', true)`,
  )
  await run('add', 'geonode', 'main', '--exits', 'bought', '--credentials', file)
  expect(await run('list')).toMatch(/geonode +main +bought +- +- +- +- +not read yet/)
  expect(await run('check', 'main')).toContain('balance: read\nLeft: 25.00 GB')
  const listed = await run('list', '--json')
  expect(listed).toContain('"leftBytes": 25000000000')
  expect(listed).not.toContain('the-secret-of-tests')
  fake.before = () => ({ status: 401, body: { message: 'no such key' } })
  expect(await run('check', 'main')).toContain('401')
  expect(process.exitCode).toBe(1)
  process.exitCode = undefined
  expect(await run('list')).toMatch(/main +bought +25\.00 GB +- +- +- +balance: refused/)
  await run('remove', 'main', '--yes')
  expect(await run('list')).toContain('There is no account.')
  const { rows } = await shop.database.pool.query<{ action: string }>(
    `select action from audit_entry where subject_kind = 'seller_account' order by id`,
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'add_seller_account',
    'check_seller_account',
    'check_seller_account',
    'remove_seller_account',
  ])
})

it('turnpike sellers refuses a seller, a file, an exit or an account that is not there', async () => {
  await expect(run('add', 'nobody', 'x', '--credentials', file)).rejects.toThrow(
    'The sellers are dataimpulse',
  )
  await expect(run('add', 'geonode', 'x', '--credentials', `${file}.not`)).rejects.toThrow('cannot be read')
  await expect(run('add', 'geonode', 'x', '--exits', 'none', '--credentials', file)).rejects.toThrow(
    'There is no exit none.',
  )
  await expect(run('check', 'nobody')).rejects.toThrow('There is no account nobody.')
})
