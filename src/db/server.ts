import { type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterPaths, here } from './cluster.ts'
import { type RunAs, start } from './run-as.ts'
import { logSince, logSize } from './server-log.ts'
import { orphans, postmasterPid, standsIn } from './server-process.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

const settings = {
  // No network: a socket in the cluster's folder, which only the users of this process and of the server can
  // enter.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: '5432',
  max_connections: '100',
  shared_buffers: '64MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // After every checkpoint each changed page is logged whole once: under load the default makes checkpoints
  // too frequent.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Parallel queries need /dev/shm, of which a container has 64 MB; short queries gain nothing from them.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  // Messages about the server itself. Failed statements, which may contain customers' data, are reported by
  // the caller.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  cluster_name: 'turnpike',
}

/**
 * For disposable databases: no commit waits for the disk, and nothing lives long enough to need vacuuming.
 */
const forgetful = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' }

/**
 * Starts the server without waiting for it. It outlives this process, and Ctrl-C in its terminal does not
 * reach it.
 */
export function startServer(
  paths: ClusterPaths,
  { native, as, durable }: { native: string; as: RunAs; durable: boolean },
): Launch {
  const mark = logSize(paths.log)
  const log = openSync(paths.log, 'a', 0o600)
  const args = Object.entries({ ...settings, ...(durable ? {} : forgetful) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  try {
    const child = start(as, join(native, 'bin/postgres'), ['-D', here, ...args], {
      cwd: paths.cluster,
      stdio: ['ignore', log, log],
      detached: true,
    })
    child.unref()
    return new Launch(child, paths, mark)
  } finally {
    closeSync(log)
  }
}

/** A server that was started and may not accept connections yet. */
class Launch {
  readonly #paths: ClusterPaths
  readonly #mark: number
  #ended = false
  #spawnError: Error | undefined

  constructor(child: ChildProcess, paths: ClusterPaths, mark: number) {
    this.#paths = paths
    this.#mark = mark
    child.once('exit', () => (this.#ended = true))
    child.once('error', (error) => {
      this.#ended = true
      this.#spawnError = error
    })
  }

  get hasEnded(): boolean {
    return this.#ended
  }

  /**
   * Throws a sentence if the server ended; except when processes of an earlier server are still ending and
   * another attempt can succeed.
   */
  assertBusy(): void {
    const said = logSince(this.#paths.log, this.#mark)
    if (/pre-existing shared memory block|lock file ".*" already exists/.test(said)) return
    const fatal =
      said.match(/^.*(?:FATAL|PANIC): {2}(.*)$/m)?.[1] ?? this.#spawnError?.message ?? 'it said nothing'
    throw new DatabaseUnavailable(
      `The embedded database in ${this.#paths.cluster} did not start (${fatal}); more may be in ${this.#paths.log}.`,
    )
  }
}

/**
 * Ends the remaining processes of a server whose postmaster was killed, with the signal the postmaster itself
 * uses after a crash. Most of them end by themselves at once; one in the middle of a long statement does not.
 */
export function endOrphans(cluster: string): void {
  for (const pid of orphans(cluster)) signal(pid, 'SIGQUIT')
}

/**
 * Stops the server: cleanly if possible within 20 s, else immediately, so that the next start has to recover.
 */
export async function stopServer(cluster: string, { patienceMs = 20_000 } = {}): Promise<void> {
  for (const [name, waitMs] of [
    ['SIGINT', patienceMs],
    ['SIGQUIT', 10_000],
  ] as const) {
    const pid = postmasterPid(cluster)
    if (pid === undefined) return
    signal(pid, name)
    const deadline = performance.now() + waitMs
    while (performance.now() < deadline) {
      if (!standsIn(pid, cluster)) return
      await sleep(20)
    }
  }
  throw new DatabaseUnavailable(`The embedded database in ${cluster} does not stop.`)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process ended between the check and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
