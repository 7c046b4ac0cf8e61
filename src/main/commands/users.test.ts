/** The command as an operator runs it: a process of its own, on the database of DATABASE_URL. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, refusalOf, testSecretKey } from '#test/app'
import { inherited } from '#test/stack'

const main = path.resolve(import.meta.dirname, 'turnpike.ts')

let shop: App
let dataDir: string
beforeAll(async () => {
  shop = await app()
  dataDir = await mkdtemp(path.join(tmpdir(), 'turnpike-users-'))
})
afterAll(async () => {
  await shop.close()
  await rm(dataDir, { recursive: true, force: true })
})

function users(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const settings = { DATABASE_URL: shop.database.url, SECRET_KEY: testSecretKey, DATA_DIR: dataDir }
  const env = { ...inherited(), ...settings, LOG_LEVEL: 'warn' }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, 'users', ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

describe('turnpike users', () => {
  it('lists and shows accounts, as text and as JSON', async () => {
    const customer = await shop.customer('list-me-please')
    await shop.buy(customer, { pool: 'mobile', gb: 2 })
    const table = await users('list', 'LIST-me')
    expect(table.out.split('\n')).toEqual([
      expect.stringMatching(/^ID {2}NAME +E-MAIL +STATE +SINCE$/),
      expect.stringMatching(/^\d+ +list-me-please +list-me-please@example\.com +customer +\d{4}-\d\d-\d\d$/),
      '',
    ])
    expect(JSON.parse((await users('list', 'list-me', '--json')).out)).toMatchObject([
      { username: 'list-me-please', confirmed: false, blocked_at: null, percent: 0 },
    ])
    expect((await users('show', customer.email)).out).toContain('2.00 GB')
    expect(JSON.parse((await users('show', customer.username, '--json')).out)).toMatchObject({
      email: customer.email,
      bytes: { mobile: 2_000_000_000, residential: 0 },
    })
  })

  it('blocks and unblocks accounts', async () => {
    const { username, password, call } = await shop.customer()
    expect(await users('block', username)).toMatchObject({ code: 0, out: `${username} is blocked.\n` })
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ status: 401 })
    expect((await users('block', username)).out).toBe(`${username} was blocked before.\n`)
    expect(JSON.parse((await users('unblock', username, '--json')).out)).toMatchObject({ changed: true })
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
  })

  it('sets the referral share of an account', async () => {
    const { username, call } = await shop.customer()
    expect((await users('set-percent', username, '12.5')).out).toContain('earns 12.5 %')
    expect(await call('legacy_profile', {})).toMatchObject([{ pers_percent: '0.125' }])
    const absurd = await users('set-percent', username, '101')
    expect([absurd.code, absurd.out, absurd.err.includes('percentage from 0 to 100')]).toEqual([1, '', true])
  })

  it('refuses an unknown account with a sentence', async () => {
    const { code, out, err } = await users('show', 'nobody-at-all')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^Shop: /),
      'There is no account nobody-at-all.',
      '',
    ])
  })
})
