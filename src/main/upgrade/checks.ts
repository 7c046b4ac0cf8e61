/** Checks whether this release can run an operator's shop. They only read. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { clustersIn, type Database, DatabaseUnavailable, openDatabase, pendingMigrations } from '#db'
import type { Env } from '../settings/settings.env.ts'
import { readSettings, type Settings } from '../settings/settings.ts'

/** `look`: the operator decides whether the finding matters; `wrong`: the upgrade would fail or lose data. */
export interface Finding {
  name: 'settings' | 'database' | 'disk' | 'backup'
  state: 'ok' | 'look' | 'wrong'
  sentence: string
}

/** Variables in a file of settings that are for other programs: Compose, Node.js, the C library. */
const foreign = /^(SHOP_HOST|SHOP_UPSTREAM|POSTGRES_\w+|NODE_\w+|PATH|HOME|LANG|LC_\w+|TZ|TMPDIR)$/

/**
 * Variables of a file that no setting reads: removed, misspelt, or without the variable that enables them.
 */
export function settingsWithoutEffect(env: Env, cwd: string): string[] {
  const asked = new Set<string | symbol>()
  const recorded = new Proxy(env, {
    get: (target, name) => {
      asked.add(name)
      return Reflect.get(target, name) as unknown
    },
  })
  readSettings(recorded, cwd)
  return Object.keys(env).filter((name) => !asked.has(name) && !foreign.test(name))
}

/** Only for a file: an environment contains many variables that are not settings. */
export function settingsFinding({ env, file }: { env: Env; file: string | null }, cwd: string): Finding {
  const name = 'settings'
  const idle = file === null ? [] : settingsWithoutEffect(env, cwd)
  if (idle.length === 0) return { name, state: 'ok', sentence: 'This release understands all of them.' }
  return {
    name,
    state: 'look',
    sentence: `${idle.join(', ')} would have no effect: removed, misspelt, or without a setting that belongs to it. See the changelog.`,
  }
}

/** The state of the shop's database that matters for an upgrade; null: there is none yet. */
interface Found {
  newest: string | null
  pending: string[]
  bytes: number
}

async function look(settings: Settings): Promise<Found | { older: string } | null> {
  const { databaseUrl, dataDir } = settings
  if (databaseUrl === null) {
    const { majors, hasOurs } = clustersIn(dataDir)
    if (majors.length > 0 && !hasOurs) return { older: majors.join(', ') }
    // Opening it would create one.
    if (!hasOurs) return null
  }
  const database = await openDatabase({ databaseUrl: databaseUrl ?? undefined, dataDir, role: 'guest' })
  try {
    return { ...(await pendingMigrations(database)), bytes: await sizeOf(database) }
  } finally {
    await database.close()
  }
}

async function sizeOf({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ bytes: bigint }>('select pg_database_size(current_database()) as bytes')
  return Number(rows[0]?.bytes ?? 0)
}

/** The checks that depend on the state of the database. */
export async function shopFindings(
  settings: Settings,
  backups: { folder: string; now: Date },
): Promise<Finding[]> {
  try {
    const found = await look(settings)
    if (found !== null && 'older' in found) return [olderFinding(found.older)]
    return [
      databaseFinding(found),
      diskFinding(settings, found, freeBytesOf(settings.dataDir)),
      ...(found === null ? [] : [backupFinding(settings, backups)]),
    ]
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return [{ name: 'database', state: 'wrong', sentence: error.message }]
  }
}

/**
 * A database of an older PostgreSQL has to be copied; the new release does so with the old release's
 * PostgreSQL.
 */
const olderFinding = (majors: string): Finding => ({
  name: 'database',
  state: 'look',
  sentence: `It is of PostgreSQL ${majors}, and this release has a newer one: stop the shop before you install it, then run turnpike database move --to embedded, and start it.`,
})

function databaseFinding(found: Found | null): Finding {
  const name = 'database'
  if (found === null) return { name, state: 'ok', sentence: 'There is none yet; it will be made.' }
  const { newest, pending } = found
  if (newest === null) return { name, state: 'ok', sentence: 'It is empty.' }
  if (pending.length === 0) return { name, state: 'ok', sentence: `It is at ${newest}; nothing to migrate.` }
  return { name, state: 'ok', sentence: `It is at ${newest}; these would run: ${pending.join(', ')}.` }
}

const leastFreeBytes = 1_000_000_000

/** A migration may rewrite a table, which needs space for the copy and its write-ahead log. */
export function diskFinding(
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  found: Found | null,
  freeBytes: number,
): Finding {
  const name = 'disk'
  const isRewritten = databaseUrl === null && found !== null && found.pending.length > 0
  const neededBytes = leastFreeBytes + (isRewritten ? 2 * found.bytes : 0)
  const figures = `${gb(freeBytes)} are free for ${dataDir}, and ${gb(neededBytes)} may be needed`
  if (freeBytes < neededBytes) return { name, state: 'wrong', sentence: `Only ${figures}.` }
  const isElsewhere = databaseUrl !== null && found !== null && found.pending.length > 0
  return isElsewhere
    ? {
        name,
        state: 'look',
        sentence: `${figures}. The database has ${gb(found.bytes)}: its server should have twice that free, which cannot be seen from here.`,
      }
    : { name, state: 'ok', sentence: `${figures}.` }
}

const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

/** The free space for a folder; when it does not exist yet, that of its nearest parent. */
function freeBytesOf(folder: string): number {
  if (!existsSync(folder)) return freeBytesOf(path.dirname(folder))
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const recentHours = 24
const hourMs = 3_600_000

/** Whether `turnpike backup` has written to that folder recently. */
export function backupFinding(
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  { folder, now }: { folder: string; now: Date },
): Finding {
  const name = 'backup'
  if (databaseUrl !== null)
    return {
      name,
      state: 'look',
      sentence: 'That of your PostgreSQL cannot be seen from here: make sure that there is one of today.',
    }
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.tar.gz')) : []
  const times = files.map((file) => statSync(path.join(folder, file)).mtimeMs)
  const ageHours = (now.getTime() - Math.max(...times)) / hourMs
  return ageHours <= recentHours
    ? { name, state: 'ok', sentence: `The newest in ${folder} is ${Math.floor(ageHours)} hours old.` }
    : {
        name,
        state: 'look',
        sentence: `There is none of the last ${recentHours} hours in ${folder}. Make one: turnpike backup ${folder}`,
      }
}
