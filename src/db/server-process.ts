import { lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The process id of the server that runs on this cluster. The number in postmaster.pid alone proves nothing:
 * after a reboot, or in a new container, it may be any process. It is trusted only if the working directory
 * of that process is the cluster's folder; a zombie has none.
 */
export function postmasterPid(cluster: string): number | undefined {
  const pid = notedPid(cluster)
  return pid !== undefined && standsIn(pid, cluster) ? pid : undefined
}

function notedPid(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

/**
 * Server processes that outlived their postmaster; while one lives, PostgreSQL refuses to start on the
 * cluster.
 */
export function orphans(cluster: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && standsIn(pid, cluster) && isPostgres(pid))
}

/**
 * Whether the process lives and its working directory is this folder, which holds for a server and its
 * children.
 */
export function standsIn(pid: number, folder: string): boolean {
  try {
    const [there, wanted] = [statSync(`/proc/${pid}/cwd`), statSync(folder)]
    return there.ino === wanted.ino && there.dev === wanted.dev
  } catch {
    return false
  }
}

function isPostgres(pid: number): boolean {
  try {
    return /\/postgres( \(deleted\))?$/.test(readlinkSync(`/proc/${pid}/exe`))
  } catch {
    return false
  }
}

/**
 * Removes the lock files of a server that is gone. PostgreSQL does so itself, except when their process id
 * now belongs to another process of the same user, or to a zombie. PostgreSQL's second lock, on shared
 * memory, stays in force. The caller holds the launch lock.
 */
export function clearStaleLocks(cluster: string): void {
  if (lstatSync(join(cluster, 'postmaster.pid'), { throwIfNoEntry: false }) === undefined) return
  if (postmasterPid(cluster) !== undefined) return
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock', '.s.PGSQL.5432'])
    rmSync(join(cluster, name), { force: true })
}
