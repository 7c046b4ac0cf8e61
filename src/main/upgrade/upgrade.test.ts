import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { testDatabase } from '#test/database'
import { openTerminal, type Terminal } from '#test/terminal'
import { readSettings } from '../settings/settings.ts'
import { backupFinding, diskFinding, settingsFinding, settingsWithoutEffect, shopFindings } from './checks.ts'
import { upgradeCommand } from './upgrade.ts'

let database: Database
let terminal: Terminal
const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-upgrade-'))

beforeAll(async () => {
  database = await testDatabase()
  terminal = openTerminal(database, [upgradeCommand])
})
afterEach(() => {
  process.exitCode = undefined
})
afterAll(async () => {
  terminal.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

const applied = async () =>
  (await database.pool.query<{ name: string }>('select name from migration order by name')).rows.map(
    ({ name }) => name,
  )

describe('turnpike upgrade --check', () => {
  it('finds a database of this release, and leaves the backup of an external PostgreSQL to the operator', async () => {
    const said = await terminal.run('upgrade', '--check')
    expect(said).toContain(`database: It is at ${(await applied()).at(-1)}; nothing to migrate.`)
    expect(said).toMatch(/^look {3}backup: That of your PostgreSQL cannot be seen/m)
    expect(process.exitCode).toBe(2)
  })

  it('names the migrations that would run, and runs none of them', async () => {
    const names = await applied()
    const { rows } = await database.pool.query('delete from migration where name >= $1 returning *', [
      names.at(-2),
    ])
    const { findings, outcome } = (await terminal.data('upgrade', '--check')) as {
      findings: { sentence: string }[]
      outcome: string
    }
    expect(findings.map(({ sentence }) => sentence)).toContain(
      `It is at ${names.at(-3)}; these would run: ${names.at(-2)}, ${names.at(-1)}.`,
    )
    expect(outcome).toBe('look')
    expect(await applied()).toEqual(names.slice(0, -2))
    for (const { name, sha256 } of rows as { name: string; sha256: string }[])
      await database.pool.query('insert into migration (name, sha256) values ($1, $2)', [name, sha256])
  })

  it('refuses a database that is newer, or of other migrations', async () => {
    for (const [name, said] of [
      ['9999_later.sql', 'The database is newer than this Turnpike'],
      ['0007_other.sql', 'The database was migrated by 0007_other.sql, which this Turnpike does not have.'],
    ] as const) {
      await database.pool.query(`insert into migration (name, sha256) values ($1, '')`, [name])
      expect(await terminal.run('upgrade', '--check')).toContain(`wrong  database: ${said}`)
      expect(process.exitCode).toBe(1)
      await database.pool.query('delete from migration where name = $1', [name])
    }
  })

  it('creates no database where there is none, and opens none of another PostgreSQL version', async () => {
    const dataDir = path.join(folder, 'fresh')
    const check = () => shopFindings(readSettings({ DATA_DIR: dataDir }, folder), { folder, now: new Date() })
    expect(await check()).toMatchObject([
      { name: 'database', state: 'ok', sentence: 'There is none yet; it will be made.' },
      { name: 'disk', state: 'ok' },
    ])
    mkdirSync(path.join(dataDir, 'postgres/17'), { recursive: true })
    writeFileSync(path.join(dataDir, 'postgres/17/PG_VERSION'), '17\n')
    expect(await check()).toEqual([
      {
        name: 'database',
        state: 'look',
        sentence: expect.stringContaining('It is of PostgreSQL 17') as string,
      },
    ])
  })
})

describe('settings', () => {
  it('of a file that no part of this release reads are reported', () => {
    const env = {
      PORT: '3000',
      PUBLIC_ULR: 'x',
      FEED_CA: '/x',
      FEED_TLS_KEY: '/x',
      SHOP_HOST: 'x',
      TZ: 'UTC',
    }
    expect(settingsWithoutEffect(env, folder)).toEqual(['PUBLIC_ULR', 'FEED_TLS_KEY'])
    expect(settingsFinding({ env, file: '/etc/x.env' }, folder)).toMatchObject({ state: 'look' })
    expect(settingsFinding({ env, file: null }, folder)).toMatchObject({ state: 'ok' })
  })
})

describe('disk and backup', () => {
  const embedded = { databaseUrl: null, dataDir: '/data' }
  const pending = { newest: 'a', pending: ['b'], bytes: 3e9 }

  it('have space for rewritten tables', () => {
    expect(diskFinding(embedded, pending, 7e9)).toMatchObject({ state: 'ok' })
    expect(diskFinding(embedded, pending, 6.9e9)).toMatchObject({
      state: 'wrong',
      sentence: 'Only 6.9 GB are free for /data, and 7.0 GB may be needed.',
    })
    expect(diskFinding(embedded, { ...pending, pending: [] }, 1e9)).toMatchObject({ state: 'ok' })
    expect(diskFinding({ ...embedded, databaseUrl: 'x' }, pending, 1e9)).toMatchObject({ state: 'look' })
  })

  it('are of the last day', () => {
    const now = new Date('2027-01-31T12:00:00Z')
    const file = path.join(folder, 'turnpike-2027-01-31.tar.gz')
    writeFileSync(path.join(folder, 'notes.txt'), '')
    expect(backupFinding(embedded, { folder: path.join(folder, 'none'), now })).toMatchObject({
      state: 'look',
    })
    expect(backupFinding(embedded, { folder, now })).toMatchObject({ state: 'look' })
    writeFileSync(file, '')
    utimesSync(file, now, new Date('2027-01-30T11:00:00Z'))
    expect(backupFinding(embedded, { folder, now })).toMatchObject({ state: 'look' })
    utimesSync(file, now, new Date('2027-01-31T06:30:00Z'))
    expect(backupFinding(embedded, { folder, now })).toMatchObject({
      state: 'ok',
      sentence: `The newest in ${folder} is 5 hours old.`,
    })
  })
})
