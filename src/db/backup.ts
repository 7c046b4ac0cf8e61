/**
 * A copy of the running embedded database, made the way PostgreSQL's manual calls "a base backup using the low-level
 * API": the files are copied while the server works on, and the write-ahead log of that time is added, from which the
 * copy's own server brings them to one moment.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { clusterPaths } from './cluster.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'
import type { DB } from './schema.ts'

/** One thing of the copy; `name` is its path inside the cluster's folder. */
export type BackupPart =
  | { kind: 'folder'; name: string }
  /** Copied as long as it is now: what the server appends meanwhile comes back from the write-ahead log. */
  | { kind: 'file'; name: string; path: string }
  | { kind: 'text'; name: string; text: string }

/** Made anew by every server, or of no use to another one; each as the manual lists it. */
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
 * Copies the embedded database of a DATA_DIR that somebody has open at `url`. Hands every part to `take`, one after the
 * other; what it answers is waited for. The copy is good when this resolves, and worthless when it rejects.
 */
export async function backUpCluster(
  { url, dataDir }: { url: string; dataDir: string },
  take: (part: BackupPart) => Promise<void>,
): Promise<void> {
  const { cluster } = clusterPaths(dataDir)
  const client = await superuser(url)
  try {
    // The slot keeps the log from being recycled while we copy; it goes with this connection.
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

/** The embedded server trusts whoever may enter its folder. */
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

/** A dropped table's folder or file may go while we look: the log tells the copy that it is gone. */
function unlessGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

/** The segments of the log from the first to the last that the copy needs; their names sort in their order. */
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
