/** A shop of some size on an embedded database of its own, for as long as something is measured in it. */
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
  /** Milliseconds of CPU that PostgreSQL has used, with all its children. */
  postgresCpuMs: () => number
  filledInSeconds: number
}

/** What is open now, and has to be gone when somebody interrupts the bench. */
const toClose = new Set<() => Promise<void>>()

/** Makes a shop, lets it be used, and leaves nothing of it behind, whatever happens. */
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

/** Something else that an interruption must end; answers how to end it now. */
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
    // The last opened first: a server goes before the database that it uses.
    const all = [...toClose].toReversed()
    void all
      .reduce((before, close) => before.then(close, close), Promise.resolve())
      .finally(() => process.exit(1))
  })
}
