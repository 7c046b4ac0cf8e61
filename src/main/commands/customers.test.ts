import { readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app, refusalOf } from '#test/app'
import { openTerminal, type Terminal } from '#test/terminal'
import { unzip } from '#test/unzip'
import { customerCommands } from './customers.ts'

let shop: App
let terminal: Terminal
beforeAll(async () => {
  shop = await app()
  terminal = openTerminal(shop.database, [customerCommands])
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})

/** What `turnpike customers …` prints. */
const run: Terminal['run'] = (...words) => terminal.run('customers', ...words)
const data: Terminal['data'] = (...words) => terminal.data('customers', ...words)

describe('turnpike customers', () => {
  it('lists and shows accounts, as text and as JSON', async () => {
    const customer = await shop.customer('list-me-please')
    await shop.buy(customer, { pool: 'mobile', gb: 2 })
    expect((await run('list', 'LIST-me')).split('\n')).toEqual([
      expect.stringMatching(/^ID {2}NAME +E-MAIL +STATE +SINCE$/),
      expect.stringMatching(/^\d+ +list-me-please +list-me-please@example\.com +customer +\d{4}-\d\d-\d\d$/),
      '',
    ])
    expect(await data('list', 'list-me')).toMatchObject([
      { username: 'list-me-please', confirmed: false, blocked_at: null, percent: 0 },
    ])
    expect(await run('show', customer.email)).toContain('2.00 GB')
    expect(await data('show', customer.username)).toMatchObject({
      email: customer.email,
      bytes: { mobile: 2_000_000_000, residential: 0 },
    })
  })

  it('blocks and unblocks accounts', async () => {
    const { username, password, call } = await shop.customer()
    expect(await run('block', username)).toBe(`${username} is blocked.\n`)
    expect(await refusalOf(call('legacy_profile', {}))).toMatchObject({ status: 401 })
    expect(await run('block', username)).toBe(`${username} was blocked before.\n`)
    expect(await data('unblock', username)).toMatchObject({ changed: true })
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
  })

  it('ends the sessions of all customers once that is confirmed, and leaves API tokens valid', async () => {
    const [one, two] = [await shop.customer(), await shop.customer()]
    const program = await one.call('reseller_token', {})
    expect(await run('end-sessions', '--reason', 'a leak', '--dry-run')).toContain('Nothing was done.')
    expect(await one.call('is_password_exists', {})).toBe(true)
    expect(await run('end-sessions', '--reason', 'a leak', '--yes')).toMatch(/^\d+ sessions have ended\.\n$/)
    for (const { call } of [one, two])
      expect(await refusalOf(call('is_password_exists', {}))).toMatchObject({ status: 401 })
    expect(await shop.client(program)('legacy_profile', {})).toHaveLength(1)
    const { username, password } = two
    expect(await shop.anyone('signin', { username, password })).toMatch(/^[\w-]{43}$/)
  })

  it('sets the referral share of an account', async () => {
    const { username, call } = await shop.customer()
    expect(await run('set-percent', username, '12.5')).toContain('earns 12.5 %')
    expect(await call('legacy_profile', {})).toMatchObject([{ pers_percent: '0.125' }])
    await expect(run('set-percent', username, '101')).rejects.toThrow('percentage from 0 to 100')
  })

  it('exports the data of a person into a file of this user, and erases it once that is confirmed', async () => {
    const customer = await shop.customer()
    const { username, email, password } = customer
    await shop.buy(customer, { pool: 'mobile', gb: 1 })
    const asked = ['export', username, '--reason', 'asked for it', '--to', terminal.dataDir]
    const { file } = (await data(...asked)) as { file: string }
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(unzip(await readFile(file)).get('json/account.json')).toContain(email)
    const erase = (...more: string[]) => run('erase', username, '--reason', 'asked for it', ...more)
    const shown = await erase('--dry-run')
    expect(shown).toContain('On the balances: 1.00 GB mobile. Give it back, or add --write-off.')
    expect(shown).toContain('Stays in the books: invoices (1)')
    await expect(erase('--yes')).rejects.toThrow('balance_left')
    await shop.anyone('signin', { username, password })
    await erase('--write-off', '--yes')
    expect((await refusalOf(shop.anyone('signin', { username, password }))).code).toBe('invalid_credentials')
  })

  it('refuses an unknown account with a sentence', async () => {
    await expect(run('show', 'nobody-at-all')).rejects.toThrow('There is no account nobody-at-all.')
  })
})
