import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { removeTemplate } from './stack.template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's own PostgreSQL; its database "migrated" is the template of every test's. */
    testServerUrl: string
  }
}

/**
 * One PostgreSQL per run, in a temporary folder, with one migrated database as a template; removed at the
 * end.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeRemains()
  const dataDir = await mkdtemp(join(tmpdir(), `turnpike-test-${process.pid}-`))
  const database = await openDatabase({ dataDir, role: 'owner', durable: false })
  await database.pool.query('create database migrated')
  const template = new URL(database.url)
  template.pathname = '/migrated'
  const pool = new pg.Pool({ connectionString: template.href, max: 1 })
  await migrate({ pool })
  await pool.end()
  await migrateJobs(template.href)
  project.provide('testServerUrl', database.url)
  return async () => {
    await database.close()
    removeTemplate()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A run that was killed leaves its folders behind, and its server running. */
async function removeRemains(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const ended = name.match(/^turnpike-started-(\d+)$/)?.[1]
    if (ended !== undefined && !existsSync(`/proc/${ended}`))
      await rm(join(tmpdir(), name), { recursive: true })
    const pid = name.match(/^turnpike-test-(\d+)-/)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    const dataDir = join(tmpdir(), name.replace(pid, String(process.pid)))
    try {
      await rename(join(tmpdir(), name), dataDir)
    } catch {
      // A concurrent run has removed it already, or it belongs to another user.
      continue
    }
    // Opening attaches to the server, and closing then stops it.
    if (existsSync(join(dataDir, 'postgres/18/postmaster.pid')))
      await (await openDatabase({ dataDir, role: 'guest', durable: false })).close()
    await rm(dataDir, { recursive: true, force: true })
  }
}
