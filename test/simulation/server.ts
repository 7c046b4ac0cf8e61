/**
 * A separate PostgreSQL for the simulation, which kills it. Each seed has its own database while it runs.
 * Later seeds reuse an emptied database with its connections: new connections would have to cache tables and
 * statements again, which costs more than a short seed.
 */
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
  /** A migrated, empty database; closing it leaves it to the next seed, or removes it. */
  database: () => Promise<SeedDatabase>
  /** Terminates every connection to a database as soon as one of them is working. */
  cut: (name: string) => Promise<void>
  /** Like `pg_ctl restart -m immediate`: no shutdown, no checkpoint, recovery from the log. */
  restart: () => Promise<void>
  /** Runs work during which no restart happens. */
  calmly: <T>(work: () => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/**
 * Starts it with the highest durability that does not wait for the disk: commits survive the server, not the
 * machine.
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
  await keepPristine(template)
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
  const free: Used[] = []
  const made = async (): Promise<Used> => {
    const name = `s${randomBytes(6).toString('hex')}`
    await admin(`create database ${name} template migrated strategy file_copy`)
    const databaseUrl = at(home.url, name)
    return {
      name,
      database: await openDatabase({ databaseUrl, dataDir, role: 'guest', maxConnections: 3 }),
      lives: 0,
    }
  }
  const remove = async ({ name, database }: Used) => {
    await database.close()
    await dropDatabase(admin, name)
  }
  return {
    database: async () => {
      const used = free.pop() ?? (await made())
      used.lives++
      return {
        ...used.database,
        name: used.name,
        close: async () => {
          if (used.lives < mostLives && (await isEmptied(used.database))) free.push(used)
          else await remove(used)
        },
      }
    },
    cut: (name) => admin(cutAtWork(name)),
    calmly: async (work) => {
      // New work must not begin while a restart waits for the work in progress.
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
      await Promise.all(free.map(remove))
      await home.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Connections that are cut while idle prove nothing, and how long an action takes to reach the database depends on
 * the machine: the cut waits for work, for a tenth of a second at most.
 */
function cutAtWork(name: string): string {
  const others = `datname = '${name}' and usename = current_user`
  return `do $$ begin
    for attempt in 1..200 loop
      exit when exists (select from pg_stat_activity where ${others} and state <> 'idle');
      perform pg_sleep(0.0005), pg_stat_clear_snapshot();
    end loop;
    perform pg_stat_clear_snapshot();
    perform pg_terminate_backend(pid) from pg_stat_activity where ${others};
  end $$`
}

/** A database that seeds have used, one after another. */
interface Used {
  name: string
  database: Database
  lives: number
}

/** The number of seeds that use a database before a new one replaces it: emptied tables grow. */
const mostLives = 20

/**
 * Stores the rows that the migrations have written, and a function that restores them. It bypasses the
 * triggers, which forbid the deletion of postings.
 */
async function keepPristine(url: string): Promise<void> {
  const { pathname, searchParams } = new URL(url)
  // The embedded server lets the user of this process in as a superuser, who may switch triggers off.
  const host = searchParams.get('host') ?? ''
  const client = new pg.Client({ host, user: 'postgres', database: pathname.slice(1) })
  await client.connect()
  try {
    await client.query(`
      create schema pristine;
      create function pristine.restore() returns void language plpgsql security definer
        set session_replication_role = replica as $$
        declare emptied regclass;
        begin
          for emptied in select oid from pg_class
            where relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
              and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
          loop execute format('delete from %s', emptied); end loop;
          for emptied in select oid from pg_class where relnamespace = 'pristine'::regnamespace and relkind = 'r'
          loop execute (select 'insert into ' || obj_description(emptied) || ' overriding system value select * from ' || emptied); end loop;
        end $$;
      do $$ declare kept record; has_rows boolean;
        begin
          for kept in select oid::regclass::text as name, relname from pg_class
            where relkind = 'r' and relname <> 'migrations'
              and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
          loop
            execute format('select exists (select from %s)', kept.name) into has_rows;
            if has_rows then
              execute format('create table pristine.%I as table %s', kept.relname, kept.name);
              execute format('comment on table pristine.%I is %L', kept.relname, kept.name);
            end if;
          end loop;
        end $$;
      grant usage on schema pristine to turnpike`)
  } finally {
    await client.end()
  }
}

async function isEmptied({ pool }: Database): Promise<boolean> {
  try {
    await pool.query('select pristine.restore()')
    return true
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    return false
  }
}

function at(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Sends a statement until a server accepts it. Statements passed here may be executed twice. */
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
