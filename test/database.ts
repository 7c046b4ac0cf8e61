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

/** The connection that creates and drops databases, one for all test files of a process. */
let administrator: Promise<pg.Client> | undefined

async function administer(serverUrl: string, statement: string): Promise<void> {
  administrator ??= connectAdministrator(serverUrl)
  const client = await administrator
  await client.query(statement)
}

async function connectAdministrator(connectionString: string): Promise<pg.Client> {
  const forget = () => void (administrator = undefined)
  const client = new pg.Client({ connectionString })
  // The server closes it at the end of the run; an "error" event without a listener would end the process.
  client.on('error', forget)
  client.once('end', forget)
  await client.connect().catch((error: unknown) => {
    forget()
    throw error
  })
  // It must not keep a process of tests alive. The types of pg lack this function.
  ;(client as pg.Client & { unref: () => void }).unref()
  return client
}
