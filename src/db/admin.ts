import pg from 'pg'
import { errorCode, isConnectionLost } from './connections/errors.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

/**
 * Opens a superuser's connection to the embedded server. "down": no process listens on the socket. "busy": a
 * server listens, but it is starting, stopping or out of connections.
 */
export async function connectAdmin(
  socketFolder: string,
  applicationName: string,
): Promise<pg.Client | 'down' | 'busy'> {
  const client = new pg.Client({
    host: socketFolder,
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 10_000,
    application_name: applicationName,
  })
  // Callers listen for "end"; an "error" event without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end()
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'down'
    if (isConnectionLost(error)) return 'busy'
    // 28000: invalid_authorization_specification.
    if (code === 'EACCES' || code === '28000')
      throw new DatabaseUnavailable(
        'The embedded database belongs to another user: run as that user or as root, or set DATABASE_URL.',
      )
    throw error
  }
}

/**
 * Advisory locks in the server's own database identify its users; PostgreSQL frees them when a process dies.
 */
const family = 0x7475726e
const locks = {
  /**
   * Held in shared mode by every process that uses the server; the process that gets it exclusively is the
   * last and stops the server.
   */
  presence: 1,
  /** Held by the owner. */
  owner: 2,
  /** Held while the role and the database are created. */
  preparation: 3,
} as const

export type LockName = keyof typeof locks

/** Takes the lock if it is free. */
export async function tryLock(client: pg.Client, name: LockName, mode: 'alone' | 'shared'): Promise<boolean> {
  const call = mode === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query<{ taken: boolean }>(`select ${call}($1, $2) as taken`, [
    family,
    locks[name],
  ])
  return rows[0]?.taken === true
}

/** Releases the lock. */
export async function unlock(client: pg.Client, name: LockName, mode: 'alone' | 'shared'): Promise<void> {
  const call = mode === 'shared' ? 'pg_advisory_unlock_shared' : 'pg_advisory_unlock'
  await client.query(`select ${call}($1, $2)`, [family, locks[name]])
}

/** The application name of the lock's holder. */
export async function lockHolder(client: pg.Client, name: LockName): Promise<string | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [family, locks[name]],
  )
  return rows[0]?.application_name
}

/**
 * Creates the role and the database that the product uses. The role is not a superuser, as on an operator's
 * server.
 */
export async function prepare(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1, $2)', [family, locks.preparation])
  try {
    const { rows } = await client.query<{ role: boolean; base: boolean }>(
      `select exists (select from pg_roles where rolname = 'turnpike') as role,
              exists (select from pg_database where datname = 'turnpike') as base`,
    )
    if (rows[0]?.role !== true) await client.query('create role turnpike login createdb')
    if (rows[0]?.base !== true) await client.query('create database turnpike owner turnpike')
  } finally {
    await unlock(client, 'preparation', 'alone')
  }
}
