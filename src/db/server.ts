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
  // No network: a socket in the cluster's own folder, which only we and the server's user can enter.
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: '5432',
  max_connections: '100',
  shared_buffers: '64MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // After every checkpoint pages are logged whole, once each: with much traffic the usual ones come too often.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Parallel queries need /dev/shm, of which a container has 64 MB; short queries gain nothing from them.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  // What the server has to say about itself; failed statements, which may hold a customer's data, are the caller's to report.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  cluster_name: 'turnpike',
}

/** For databases that are thrown away after a test: nothing is worth waiting for the disk. */
const forgetful = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

/** Starts the server without waiting for it. It outlives us, and a Ctrl-C in our terminal does not reach it. */
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

/** A server that was started and may not have come up yet. */
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

  /** Throws, in a sentence, why it ended; unless an earlier server's processes are still letting go, when trying again helps. */
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
 * Ends what is left of a server whose postmaster was killed, the way the postmaster itself would after a crash.
 * Most of its processes end by themselves at once; one in the middle of a long statement does not.
 */
export function endOrphans(cluster: string): void {
  for (const pid of orphans(cluster)) signal(pid, 'SIGQUIT')
}

/** Stops the server: cleanly if it can within 20 s, else so that the next start has to recover. */
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
    // It ended between our look and the signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
