import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '#db'
import { dropDatabase } from './database.drop.ts'

/**
 * A fresh, migrated, empty database of its own for a test file: `const { db, pool, url, listen, close } =
 * await testDatabase()`. `close` removes it; a test file without that call does no harm, since the whole
 * server is removed at the end of the run.
 */
export async function testDatabase(): Promise<Database> {
  const serverUrl = inject('testServerUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  // The default strategy writes the whole template to the log, which takes twice the CPU time.
  await administer(serverUrl, `create database ${name} template migrated strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '', role: 'guest' })
  return {
    ...database,
    close: async () => {
      await database.close()
      await dropDatabase((statement) => administer(serverUrl, statement), name)
    },
  }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
