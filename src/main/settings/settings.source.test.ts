import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { chooseSource, shopSentence } from './settings.source.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-source-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const machine = path.join(folder, 'turnpike.env')
const absent = path.join(folder, 'absent.env')
writeFileSync(machine, 'DATA_DIR=/var/lib/turnpike\n')

const said = (env: Record<string, string>, file: string | null = null) =>
  shopSentence({ env, file }, '/home/shop')

describe('the shop of a command', () => {
  it('is that of the file, regardless of the environment', () => {
    const stray = { DATABASE_URL: 'postgresql://other@elsewhere/other', PORT: '1' }
    expect(chooseSource(machine, stray)).toEqual({ env: { DATA_DIR: '/var/lib/turnpike' }, file: machine })
  })

  it('is not guessed when this machine has one and the environment names none', () => {
    expect(() => chooseSource(undefined, { PORT: '3000', DATA_DIR: ' ' }, machine)).toThrow(
      `This machine has a shop, whose settings are in ${machine}.`,
    )
    for (const env of [{ DATA_DIR: 'x' }, { DATABASE_URL: 'postgresql://x/y' }, { FEED_URL: 'unix:/x' }])
      expect(chooseSource(undefined, env, machine)).toEqual({ env, file: null })
    expect(chooseSource(undefined, {}, absent)).toEqual({ env: {}, file: null })
  })
})

describe('the first line', () => {
  it('names the folder, database or feed, and its setting', () => {
    expect(said({})).toBe('Shop: /home/shop/data (no DATA_DIR in the environment)')
    expect(said({ DATA_DIR: 'x' })).toBe('Shop: /home/shop/x (DATA_DIR in the environment)')
    expect(said({ DATA_DIR: '/x' }, '/etc/shop.env')).toBe('Shop: /x (DATA_DIR in /etc/shop.env)')
    expect(said({ FEED_URL: 'tls://shop.example.net:7443', DATA_DIR: '/x' })).toBe(
      'Shop: the one behind the feed tls://shop.example.net:7443 (FEED_URL in the environment)',
    )
  })

  it.each([
    ['postgresql://me:pass@db1:5432,db2/shop?sslmode=verify-full', 'shop on db1:5432, db2'],
    ['postgres://me:p%40ss@[2001:db8::1]/', 'me on [2001:db8::1]'],
    ['postgresql://me@/shop?host=%2Frun%2Fpg', 'shop on /run/pg'],
  ])('of %s contains no password', (url, shown) => {
    expect(said({ DATABASE_URL: url, DATA_DIR: '/x' })).toBe(
      `Shop: database ${shown} (DATABASE_URL in the environment)`,
    )
  })

  it('does not repeat an invalid address in a refusal', () => {
    expect(() => said({ DATABASE_URL: 'mysql://me:pass@db' })).toThrow(/^(?!.*pass@).*not a PostgreSQL/s)
  })
})
