import { spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { userInfo } from 'node:os'

/** PostgreSQL refuses to be root, so root hands its programs to the user that owns nothing else. */
const nobody = 65534

/** The user a PostgreSQL program runs as. */
export interface RunAs {
  /** Undefined: the user of this process. */
  uid: number | undefined
  gid: number | undefined
  /** A command put before the program. */
  wrapper: readonly string[]
}

export const ourselves: RunAs = { uid: undefined, gid: undefined, wrapper: [] }

/**
 * A user namespace in which our user is called "nobody": the way out for a process that cannot change its
 * user, and for a user that has no name. Needs util-linux and a kernel or container that permits it.
 */
export const namespaced: RunAs = {
  uid: undefined,
  gid: undefined,
  wrapper: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'],
}

/** Who the server of this cluster has to be: ourselves, or, when we are root, the cluster's owner. */
export function serverUser(cluster: string): RunAs {
  if (process.geteuid?.() !== 0) return ourselves
  const owner = lstatSync(cluster, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, wrapper: [] }
  return { uid: nobody, gid: nobody, wrapper: [] }
}

/** The user namespace instead, where we are root but not allowed to become anybody else. */
export async function permitted(as: RunAs): Promise<RunAs> {
  if (as.uid === undefined) return as
  const { status } = await run(as, '/bin/sh', ['-c', ':'], { cwd: '/' })
  return status === 0 ? as : namespaced
}

/** initdb looks up the name of its user and gives up when there is none (`docker run --user 12345`). */
export function hasUserName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/** Only what the programs need: a PGDATA, PGOPTIONS or locale of the operator's shell must not change what they do. */
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
      // Node announces some reasons with an event and throws the others, such as a user it may not become.
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
