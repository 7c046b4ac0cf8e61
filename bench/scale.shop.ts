/** A shop of a given size on its own embedded database, for the duration of a measurement. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { seedDemoCatalog } from '#catalog'
import { type Database, migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { loadGeo } from './geo.ts'
import { cpuMs, family } from './load.ts'
import { fillShop, type ScaleShop } from './scale.rows.ts'

export interface OpenShop {
  size: ScaleShop
  dataDir: string
  database: Database
  /** Milliseconds of CPU used by PostgreSQL and all its children. */
  postgresCpuMs: () => number
  filledInSeconds: number
}

export interface Filling {
  size: ScaleShop
  inventoryRows?: number
  /** A folder in which the shop stays and is found again; without it the shop is removed afterwards. */
  keptIn?: string | undefined
  /** Adds rows to a new shop. Returns a sentence for the report, also of later runs on the same shop. */
  fill?: (shop: OpenShop) => Promise<string>
}

/** Open resources, which have to be closed when the bench is interrupted. */
const toClose = new Set<() => Promise<void>>()

/**
 * Creates a shop, or opens the one that was kept, and calls `work` with the shop and the sentence of its
 * `fill`. The shop is always closed afterwards, and removed unless it is kept.
 */
export async function withShop<T>(
  { size, inventoryRows = 0, keptIn, fill }: Filling,
  work: (shop: OpenShop, said: string) => Promise<T>,
): Promise<T> {
  const dataDir = keptIn ?? mkdtempSync(path.join(tmpdir(), 'turnpike-bench-scale-'))
  mkdirSync(dataDir, { recursive: true })
  const noteFile = path.join(dataDir, 'filled.json')
  const isFilled = existsSync(noteFile)
  if (!isFilled && existsSync(path.join(dataDir, 'postgres')))
    throw new Error(`the filling of ${dataDir} was interrupted: delete the folder`)
  let database: Database | undefined
  const close = async () => {
    toClose.delete(close)
    await database?.close()
    if (keptIn === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  toClose.add(close)
  try {
    database = await openDatabase({ dataDir, role: 'owner' })
    const postmaster = readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8')
    const postgres = Number(postmaster.split('\n')[0])
    const shop = { size, dataDir, database, postgresCpuMs: () => cpuMs(family(postgres)) }
    const started = performance.now()
    await migrate(database)
    await migrateJobs(database.url)
    if (isFilled) {
      const note = JSON.parse(readFileSync(noteFile, 'utf8')) as Note
      if (JSON.stringify(note.size) !== JSON.stringify(size))
        throw new Error(`${dataDir} holds a shop of another size: ${JSON.stringify(note.size)}`)
      return await work({ ...shop, filledInSeconds: note.filledInSeconds }, note.said)
    }
    await seedDemoCatalog(database.db)
    if (inventoryRows > 0) await loadGeo(database, inventoryRows)
    // Statements of the server's own pool end after a minute.
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    await fillShop({ ...database, pool }, size)
    const filledInSeconds = Math.round((performance.now() - started) / 1000)
    const said = (await fill?.({ ...shop, database: { ...database, pool }, filledInSeconds })) ?? ''
    await pool.end()
    if (keptIn !== undefined) writeFileSync(noteFile, JSON.stringify({ size, filledInSeconds, said }))
    return await work({ ...shop, filledInSeconds }, said)
  } finally {
    await close()
  }
}

interface Note {
  size: ScaleShop
  filledInSeconds: number
  said: string
}

/** Registers a resource that an interruption has to close; returns the function that closes it now. */
export function closing(end: () => Promise<void>): () => Promise<void> {
  const close = async () => {
    toClose.delete(close)
    await end()
  }
  toClose.add(close)
  return close
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // In reverse order of opening: a server is closed before its database.
    const all = [...toClose].toReversed()
    void all
      .reduce((before, close) => before.then(close, close), Promise.resolve())
      .finally(() => process.exit(1))
  })
}
