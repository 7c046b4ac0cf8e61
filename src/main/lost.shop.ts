/**
 * Tells a fresh machine from one whose shop is gone: its folder was moved, or its disk is not mounted. A note
 * outside of DATA_DIR says that there was a shop. Without that, the next start would make a new, empty one.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { clustersIn, DatabaseUnavailable } from '#db'

/** Made by ops/install.sh, and the services may write there. A clone has none, and keeps no notes. */
const installed = '/var/cache/turnpike'

function noteOf(dataDir: string, folder: string): string {
  const digest = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 16)
  return path.join(folder, `shop-${digest}`)
}

/** Refuses to make a database in a DATA_DIR that had one, or has one of another PostgreSQL. */
export function refuseLostShop(dataDir: string, folder = installed): void {
  const { majors, hasOurs } = clustersIn(dataDir)
  if (hasOurs) return
  if (majors.length > 0)
    throw new DatabaseUnavailable(
      `${dataDir} holds the database of PostgreSQL ${majors.join(', ')}, and this release has a newer one. Copy it once, with the shop stopped: turnpike database move --to embedded`,
    )
  const note = noteOf(dataDir, folder)
  if (existsSync(note))
    throw new DatabaseUnavailable(
      `${dataDir} has no shop, and there was one on ${readFileSync(note, 'utf8').trim()}: it was moved away, or its disk is not mounted. Put it back, or bring back a backup with turnpike restore <file>. To begin with a new, empty shop, remove ${note}`,
    )
}

/** Notes that DATA_DIR has a shop. */
export function noteShop(dataDir: string, folder = installed): void {
  if (!existsSync(folder)) return
  const note = noteOf(dataDir, folder)
  try {
    if (!existsSync(note)) writeFileSync(note, `${new Date().toISOString().slice(0, 10)}\n`)
  } catch {
    // Another user's folder: this machine keeps no note.
  }
}
