/** The imported files, stored so that an import can be reverted. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from '#db'
import type { CsvSource } from '#lib/csv/read-csv'
import { faultyFile } from '#lib/csv/read-csv'

/** Larger compressed files are imported, but not stored. */
const mostGzipBytes = 32 * 1024 * 1024
/** The maximum unpacked size of a stored file. */
const mostBytes = 1024 * 1024 * 1024

const kept = 3

/** The file compressed by gzip; null when it is too large to store. */
export async function compressed(file: CsvSource): Promise<Buffer | null> {
  const source = typeof file === 'string' ? createReadStream(file) : Readable.from([Buffer.from(file.text)])
  const zip = createGzip()
  source.on('error', (error: Error) => zip.destroy(error)).pipe(zip)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of zip as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostGzipBytes) {
        source.destroy()
        return null
      }
      chunks.push(chunk)
    }
  } catch (error) {
    throw faultyFile('import_unread', { reason: (error as Error).message })
  }
  return Buffer.concat(chunks)
}

/** Stores a file, and deletes all but the latest ones of its source. */
export async function keepFile(
  client: pg.ClientBase,
  file: { source: string; rows: number; gzip: Buffer | null; by: string; at: Date },
): Promise<void> {
  const { source, rows, gzip, by, at } = file
  await client.query(
    'insert into inventory_file (source, rows, gzip, imported_by, imported_at) values ($1, $2, $3, $4, $5)',
    [source, rows, gzip, by, at],
  )
  await client.query(
    `delete from inventory_file where source = $1
       and id not in (select id from inventory_file where source = $1 order by id desc limit ${kept})`,
    [source],
  )
}

export interface KnownFile {
  id: bigint
  source: string
  rows: bigint
  by: string
  at: Date
  /** Whether the file is stored and can be imported again. */
  isKept: boolean
}

/** The stored files of all sources, newest first. */
export async function listFiles(db: Kysely<DB>): Promise<KnownFile[]> {
  const { rows } = await sql<KnownFile>`
    select id, source, rows, imported_by as by, imported_at as at, gzip is not null as "isKept"
    from inventory_file order by id desc`.execute(db)
  return rows
}

/** A stored file, unpacked; null: there is none, or it was too large to store. */
export async function findFile(db: Kysely<DB>, id: bigint): Promise<{ source: string; text: string } | null> {
  const row = await db
    .selectFrom('inventory_file')
    .select(['source', 'gzip'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined || row.gzip === null) return null
  const bytes = await promisify(gunzip)(row.gzip, { maxOutputLength: mostBytes })
  return { source: row.source, text: bytes.toString('utf8') }
}
