/**
 * A copy of the running embedded database, made as PostgreSQL's manual describes in "Making a Base Backup
 * Using the Low-Level API": the files are copied while the server goes on writing, and the write-ahead log of
 * that time is added. A server started on the copy replays that log, which makes the files consistent.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { clusterPaths } from './cluster.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'
import type { DB } from './schema.ts'

/** One file or folder of the copy; `name` is its path inside the cluster's folder. */
export type BackupPart =
  | { kind: 'folder'; name: string }
  /** Copied up to its present length: what the server appends later is restored from the write-ahead log. */
  | { kind: 'file'; name: string; path: string }
  | { kind: 'text'; name: string; text: string }

/**
 * Folders whose content is left out, as listed in the manual: every server creates it anew, or only the
 * copied server needs it.
 */
const emptied = new Set([
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const leftOut =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|backup_label|tablespace_map)$|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/

/**
 * Copies the embedded database of a DATA_DIR, which must be running, at `url`. Passes the parts to `take` one
 * after another and awaits each result. The copy is complete when the promise resolves, and unusable when it
 * rejects.
 */
export async function backUpCluster(
  { url, dataDir }: { url: string; dataDir: string },
  take: (part: BackupPart) => Promise<void>,
): Promise<void> {
  const { cluster } = clusterPaths(dataDir)
  const client = await superuser(url)
  try {
    // The slot keeps the log from being recycled during the copy; it is temporary and ends with this
    // connection.
    await client.query(`select pg_create_physical_replication_slot($1, true, true)`, [
      `turnpike_backup_${process.pid}`,
    ])
    const first = await walFile(client, `pg_backup_start('turnpike', true)`)
    await copyFolder(cluster, '', take)
    const { rows } = await client.query<{ lsn: string; labelfile: string; spcmapfile: string }>(
      'select lsn::text, labelfile, spcmapfile from pg_backup_stop(false)',
    )
    const end = rows[0]
    if (end === undefined || end.spcmapfile.trim() !== '')
      throw new DatabaseUnavailable(
        'The database has tablespaces outside its folder: back it up with tools of its own.',
      )
    const last = await walFile(client, `'${end.lsn}'::pg_lsn`)
    await copyLog(cluster, { first, last }, take)
    await take({ kind: 'text', name: 'backup_label', text: end.labelfile })
  } finally {
    await client.end()
  }
}

/** The embedded server lets the user of this process connect as a superuser: see access.ts. */
async function superuser(url: string): Promise<pg.Client> {
  const address = new URL(url)
  const client = new pg.Client({
    host: address.searchParams.get('host') ?? '',
    user: 'postgres',
    database: 'postgres',
    application_name: `turnpike backup, process ${process.pid}`,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function walFile(client: pg.Client, lsn: string): Promise<string> {
  const { rows } = await client.query<{ file: string }>(`select pg_walfile_name(${lsn}) as file`)
  return rows[0]?.file ?? ''
}

async function copyFolder(
  cluster: string,
  folder: string,
  take: (part: BackupPart) => Promise<void>,
): Promise<void> {
  for (const entry of await readdir(join(cluster, folder), { withFileTypes: true }).catch(unlessGone)) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (leftOut.test(name)) continue
    if (entry.isDirectory()) {
      await take({ kind: 'folder', name })
      if (!emptied.has(name)) await copyFolder(cluster, name, take)
    } else if (entry.isFile()) {
      await take({ kind: 'file', name, path: join(cluster, name) })
    }
  }
}

/**
 * A table dropped during the copy takes its file or folder with it; replaying the log removes it from the
 * copy too.
 */
function unlessGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

/**
 * Copies the segments of the log from the first to the last one needed; the order of their names is their
 * order.
 */
async function copyLog(
  cluster: string,
  { first, last }: { first: string; last: string },
  take: (part: BackupPart) => Promise<void>,
): Promise<void> {
  const names = (await readdir(join(cluster, 'pg_wal'))).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  )
  const missing = !names.includes(first) || !names.includes(last)
  if (missing) throw new DatabaseUnavailable('The write-ahead log of the backup is not all there: try again.')
  for (const name of names.toSorted()) {
    await take({ kind: 'file', name: `pg_wal/${name}`, path: join(cluster, 'pg_wal', name) })
  }
  await take({ kind: 'folder', name: 'pg_wal/archive_status' })
}

/** Notes that a backup of so many bytes has been written. */
export async function noteBackup(db: Kysely<DB>, bytes: number): Promise<void> {
  await db
    .insertInto('backup_made')
    .values({ bytes: BigInt(bytes) })
    .execute()
}

/** Notes that a backup was restored into a scratch database, and how many findings its books had there. */
export async function noteRestoreTry(
  db: Kysely<DB>,
  tried: { file: string; findings: number },
): Promise<void> {
  await db.insertInto('restore_tried').values(tried).execute()
}

/** The last try of a restore; null: there was none. */
export async function lastRestoreTry(db: Kysely<DB>): Promise<{ at: Date; findings: number } | null> {
  const row = await db
    .selectFrom('restore_tried')
    .select(['tried_at as at', 'findings'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** When the last backup was made; null: never. */
export async function lastBackup(db: Kysely<DB>): Promise<Date | null> {
  const row = await db
    .selectFrom('backup_made')
    .select('made_at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.made_at ?? null
}
