/** A separate PostgreSQL for the simulation, which kills it; with one database for each seed. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Database, isDatabaseAway, migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { dropDatabase } from '../database.drop.ts'

export interface SeedDatabase extends Database {
  name: string
}

export interface Server {
  /** A migrated, empty database; closing it removes it. */
  database: () => Promise<SeedDatabase>
  /** Terminates every connection to a database, whatever it is doing. */
  cut: (name: string) => Promise<void>
  /** Like `pg_ctl restart -m immediate`: no shutdown, no checkpoint, recovery from the log. */
  restart: () => Promise<void>
  /** Runs work during which no restart happens. */
  calmly: <T>(work: () => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/**
 * Starts it with the highest durability that does not wait for the disk: commits survive the server, not the machine.
 */
export async function startServer(): Promise<Server> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-simulation-'))
  const home = await openDatabase({ dataDir, role: 'owner', durable: false, report: () => undefined })
  const admin = (statement: string) => insist(home.url, statement)
  await admin('create database migrated')
  const template = at(home.url, 'migrated')
  const pool = new pg.Pool({ connectionString: template, max: 1 })
  await migrate({ pool })
  await pool.end()
  await migrateJobs(template)
  // An answered commit must not be lost with the server; only the disk is not awaited.
  await admin('alter role turnpike set synchronous_commit = on')
  let calm = 0
  let wanted = 0
  let restarting: Promise<void> | null = null
  const restart = async () => {
    const file = path.join(dataDir, 'postgres/18/postmaster.pid')
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    process.kill(pid, 'SIGQUIT')
    while (existsSync(`/proc/${pid}`)) await sleep(5)
    // Our own open database restarts it.
    await admin('select')
  }
  return {
    database: async () => {
      const name = `s${randomBytes(6).toString('hex')}`
      await admin(`create database ${name} template migrated strategy file_copy`)
      const databaseUrl = at(home.url, name)
      const database = await openDatabase({ databaseUrl, dataDir, role: 'guest', maxConnections: 8 })
      return {
        ...database,
        name,
        close: async () => {
          await database.close()
          await dropDatabase(admin, name)
        },
      }
    },
    cut: (name) =>
      admin(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and usename = current_user`,
      ),
    calmly: async (work) => {
      // A restart that waits for others lets no new work begin.
      while (restarting !== null || wanted > 0) await (restarting ?? sleep(5))
      calm++
      try {
        return await work()
      } finally {
        calm--
      }
    },
    restart: async () => {
      wanted++
      while (calm > 0 || restarting !== null) await sleep(5)
      wanted--
      restarting = restart().finally(() => (restarting = null))
      await restarting
    },
    close: async () => {
      await home.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function at(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Sends a statement until a server accepts it. Each of these may be executed twice. */
async function insist(connectionString: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(statement)
      return
    } catch (error) {
      const isDone = error instanceof Error && /already exists|does not exist/.test(error.message)
      if (isDone) return
      if (attempt === 400 || !isDatabaseAway(error)) throw error
      await sleep(25)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
