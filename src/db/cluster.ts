import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { closeFolder } from '#lib/unprivileged'
import { writeAccess } from './access.ts'
import { inNamespace, namespaced, nobody, ownName, type RunAs, run } from './run-as.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

/** Where the embedded database of a DATA_DIR lies. */
export interface ClusterPaths {
  /**
   * Accessible to this process's user only, so that other programs of the server's user cannot reach the
   * cluster inside.
   */
  home: string
  /**
   * PostgreSQL's data folder, named after its major version: an upgrade needs the old and the new one side by
   * side.
   */
  cluster: string
  log: string
}

/** The major version of the bundled PostgreSQL. */
const major = '18'

export function clusterPaths(dataDir: string, version: string = major): ClusterPaths {
  const home = join(dataDir, 'postgres')
  return { home, cluster: join(home, version), log: join(dataDir, 'postgres.log') }
}

/**
 * The major versions of the clusters in a DATA_DIR, and whether the one that this release would open is among
 * them.
 */
export function clustersIn(dataDir: string): { majors: string[]; hasOurs: boolean } {
  const { home } = clusterPaths(dataDir)
  const names = existsSync(home) ? readdirSync(home) : []
  const majors = names.filter((name) => /^\d+$/.test(name) && existsSync(join(home, name, 'PG_VERSION')))
  return { majors, hasOurs: majors.includes(major) }
}

/**
 * The path of the cluster that PostgreSQL is given: it is started with the folder as its working directory.
 * Its user then needs no access to the parent folders, and DATA_DIR may lie below a folder that only root can
 * enter.
 */
export const here = '/proc/self/cwd'

/** Creates the cluster if there is none, and rewrites its access rules. The caller holds the launch lock. */
export async function ensureCluster(
  paths: ClusterPaths,
  options: { native: string; as: RunAs; durable: boolean },
): Promise<void> {
  // The cluster is created under another name and renamed: a killed initdb leaves only a folder to remove.
  for (const name of readdirSync(paths.home))
    if (name.startsWith('new-')) rmSync(join(paths.home, name), { recursive: true })
  if (existsSync(join(paths.cluster, 'PG_VERSION'))) takeBack(paths.cluster, options.as)
  else {
    const fresh = mkdtempSync(join(paths.home, 'new-'))
    await initdb(fresh, options)
    renameSync(fresh, paths.cluster)
  }
  await writeAccess(paths.cluster, options.as)
}

/**
 * The users that may run initdb, in the order of preference: initdb looks up the name of its user and fails
 * when there is none. The server needs no name, so where user namespaces are not permitted root lets `nobody`
 * create the cluster and changes its owner before the start.
 */
function makers(as: RunAs): RunAs[] {
  if (as.wrapper.length > 0) return [as]
  if (as.uid !== undefined) return [inNamespace(as), { uid: nobody, gid: nobody, wrapper: [] }]
  return [ownName() === undefined ? namespaced : as]
}

async function initdb(
  folder: string,
  { native, as, durable }: { native: string; as: RunAs; durable: boolean },
): Promise<void> {
  const args = ['-D', here, '--username=postgres', '--auth=reject', '--encoding=UTF8', '--locale=C']
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions')
  if (!durable) args.push('--no-sync')
  const program = join(native, 'bin/initdb')
  let said = ''
  for (const maker of makers(as)) {
    giveTo(folder, maker)
    const { status, output } = await run(maker, program, args, { cwd: folder })
    if (status === 0) return own(folder, as)
    said = output.trim().split('\n').at(-1) ?? ''
  }
  rmSync(folder, { recursive: true, force: true })
  const isNameless = as.uid === undefined && as.wrapper.length === 0 && ownName() === undefined
  throw new DatabaseUnavailable(
    isNameless
      ? `PostgreSQL's initdb needs a user with a name, user ${process.geteuid?.()} has none and user namespaces are not permitted here (${said}): give the user a line in /etc/passwd, run as another user, or set DATABASE_URL.`
      : `The embedded database could not be made in ${folder} (${said}).`,
  )
}

/**
 * As root, gives the server's user a cluster that belongs to root: a restored copy, or one whose owner was
 * changed together with its parent folder.
 */
function takeBack(cluster: string, as: RunAs): void {
  const { uid } = statSync(cluster)
  if (uid === (as.uid ?? process.geteuid?.())) return
  if (as.uid === undefined)
    throw new DatabaseUnavailable(
      `${cluster} belongs to user ${uid}: run as that user or as root, or set DATABASE_URL.`,
    )
  own(cluster, as)
}

function own(cluster: string, { uid, gid }: RunAs): void {
  if (uid !== undefined && gid !== undefined) closeFolder(cluster, { uid, gid })
}

function giveTo(path: string, as: RunAs): void {
  if (as.uid !== undefined && as.gid !== undefined) chownSync(path, as.uid, as.gid)
}

/** Creates the folder around the cluster, closed to other users. */
export function ensureHome(home: string): void {
  try {
    mkdirSync(dirname(home), { recursive: true })
    mkdirSync(home, { recursive: true, mode: 0o700 })
    readdirSync(home)
  } catch (error) {
    throw new DatabaseUnavailable(
      `DATA_DIR cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}
