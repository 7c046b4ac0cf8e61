import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import { openMigrated } from './services.ts'
import { readSettings } from './settings/settings.ts'

it('the start leaves no connection open when the migration fails', async () => {
  const database = await testDatabase()
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-services-'))
  const others = async () =>
    (
      await database.pool.query(
        'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    ).rows.length
  try {
    await database.pool.query(`update migration set sha256 = 'another' where name like '0001%'`)
    const before = await others()
    const settings = readSettings({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }, folder)
    await expect(openMigrated(settings, 'guest')).rejects.toThrow('was changed after')
    await expect.poll(others).toBe(before)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await database.close()
  }
})
