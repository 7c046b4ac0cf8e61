/** A shop of a given size on its own embedded database, for the duration of a measurement. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
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

/** Open resources, which have to be closed when the bench is interrupted. */
const toClose = new Set<() => Promise<void>>()

/** Creates a shop, calls `use` with it, and removes all of it afterwards in any case. */
export async function withShop<T>(
  size: ScaleShop,
  inventoryRows: number,
  work: (shop: OpenShop) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'turnpike-bench-scale-'))
  let database: Database | undefined
  const close = async () => {
    toClose.delete(close)
    await database?.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  toClose.add(close)
  try {
    database = await openDatabase({ dataDir, role: 'owner' })
    const postmaster = readFileSync(path.join(dataDir, 'postgres/18/postmaster.pid'), 'utf8')
    const postgres = Number(postmaster.split('\n')[0])
    const started = performance.now()
    await migrate(database)
    await migrateJobs(database.url)
    await seedDemoCatalog(database.db)
    if (inventoryRows > 0) await loadGeo(database, inventoryRows)
    await fillShop(database, size)
    const filledInSeconds = Math.round((performance.now() - started) / 1000)
    return await work({
      size,
      dataDir,
      database,
      postgresCpuMs: () => cpuMs(family(postgres)),
      filledInSeconds,
    })
  } finally {
    await close()
  }
}

/** Another resource that an interruption has to close; returns the function that closes it now. */
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
    // The last opened first: a server is closed before its database.
    const all = [...toClose].toReversed()
    void all
      .reduce((before, close) => before.then(close, close), Promise.resolve())
      .finally(() => process.exit(1))
  })
}
