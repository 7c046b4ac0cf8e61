import { spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { mayBecome, ownUser } from '#lib/unprivileged'

/** The user `nobody`: it has a name on every machine, and other programs run as it too. */
export const nobody = 65534

/** The user that a PostgreSQL program runs as. */
export interface RunAs {
  /** Undefined: the user of this process. */
  uid: number | undefined
  gid: number | undefined
  /** A command put before the program. */
  wrapper: readonly string[]
}

export const ourselves: RunAs = { uid: undefined, gid: undefined, wrapper: [] }

/**
 * A user namespace in which the user of this process is `nobody`: for a process that cannot change its user,
 * and for a user that has no name. Needs util-linux and a kernel or container that permits it.
 */
export const namespaced = inNamespace(ourselves)

/** The same user, in a namespace where it has a name. */
export function inNamespace(as: RunAs): RunAs {
  return { ...as, wrapper: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'] }
}

/**
 * The user of this cluster's server: that of this process, or, when this process is root, which PostgreSQL
 * refuses, the cluster's owner. A cluster of root gets a dedicated user.
 */
export function serverUser(cluster: string): RunAs {
  if (process.geteuid?.() !== 0) return ourselves
  const owner = lstatSync(cluster, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, wrapper: [] }
  return { ...ownUser(dirname(dirname(cluster)), 'database'), wrapper: [] }
}

/** The user namespace instead, where this process is root but may not change its user. */
export function permitted(as: RunAs): RunAs {
  const { uid, gid } = as
  return uid === undefined || gid === undefined || mayBecome({ uid, gid }) ? as : namespaced
}

/** The name of this process's user; undefined: it has none (`docker run --user 12345`). */
export function ownName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/** The name of the user that a program is run as; undefined: it has none. */
export async function nameOf(as: RunAs): Promise<string | undefined> {
  if (as.uid === undefined) return ownName()
  const { status, output } = await run(as, 'id', ['-un'], { cwd: '/' })
  return status === 0 ? output.trim() : undefined
}

/**
 * Only what the programs need: PGDATA, PGOPTIONS or the locale of the operator's shell must not affect them.
 */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program to its end. `status` is null when it could not be started; `output` then says why. */
export function run(
  as: RunAs,
  program: string,
  args: readonly string[],
  { cwd }: { cwd: string },
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = ''
    let child: ReturnType<typeof start>
    try {
      child = start(as, program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    } catch (error) {
      // Node reports some failures with an event and throws others, such as a user id that is not permitted.
      resolve({ status: null, output: error instanceof Error ? error.message : String(error) })
      return
    }
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', (error) => resolve({ status: null, output: error.message }))
    child.once('close', (status) => resolve({ status, output }))
  })
}

/** Starts a program as that user. */
export function start(
  as: RunAs,
  program: string,
  args: readonly string[],
  options: { cwd: string; stdio: ['ignore', 'pipe' | number, 'pipe' | number]; detached?: boolean },
) {
  const [command = program, ...rest] = [...as.wrapper, program, ...args]
  return spawn(command, rest, {
    ...options,
    env: environment,
    ...(as.uid === undefined || as.gid === undefined ? {} : { uid: as.uid, gid: as.gid }),
  })
}
