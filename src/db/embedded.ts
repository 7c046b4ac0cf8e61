import { closeSync, constants, openSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { tryFolderLock } from '#lib/folder-lock'
import { connectAdmin, lockHolder, prepare, tryLock, unlock } from './admin.ts'
import { isConnectionLost } from './connections/errors.ts'
import { type ClusterPaths, clusterPaths, ensureCluster, ensureHome } from './cluster.ts'
import { type Native, installedNative, usableNative } from './native.ts'
import { permitted, type RunAs, serverUser } from './run-as.ts'
import { trimLog } from './server-log.ts'
import { clearStaleLocks, postmasterPid } from './server-process.ts'
import { endOrphans, startServer, stopServer } from './server.ts'
import { DatabaseUnavailable } from './connections/unavailable.ts'

export interface EmbeddedOptions {
  dataDir: string
  /**
   * "owner": the single `turnpike up` of this DATA_DIR. "guest": any other process that uses its database.
   */
  role: 'owner' | 'guest'
  /** False only for disposable databases: commits do not wait for the disk. */
  durable: boolean
  /** A cluster of another major version, with the PostgreSQL that reads it; undefined: this release's. */
  other?: { major: string; native: Native } | undefined
  /** Called with a sentence when the server died and cannot be restarted at once. */
  report: (sentence: string) => void
}

/** For how long a server may neither answer nor report that it is starting. */
const patienceMs = 60_000

/**
 * The embedded PostgreSQL of a DATA_DIR, shared by all processes that use it. A process starts the server if
 * it is down, and uses it if it is running, even after the process that started it was killed; the last
 * process to close it stops it. While open, a process restarts a server that died.
 */
export class Embedded {
  /** The address for any PostgreSQL client of this machine and user, valid as long as this process lives. */
  readonly url: string
  readonly #options: EmbeddedOptions
  readonly #paths: ClusterPaths
  readonly #installed: Native
  readonly #socket: { folder: string; fd: number | undefined }
  readonly #logTimer: NodeJS.Timeout
  #server: { native: string; as: RunAs } | undefined
  #keeper: pg.Client | undefined
  #recovery: Promise<void> = Promise.resolve()
  #isClosing = false

  /**
   * Opens it, and creates and starts it as needed. Refuses a second owner, a platform without binaries, and
   * a folder that cannot be used, each with a sentence.
   */
  static async open(options: EmbeddedOptions): Promise<Embedded> {
    const installed = options.other?.native ?? installedNative()
    const paths = clusterPaths(resolve(options.dataDir), options.other?.major)
    ensureHome(paths.home)
    const embedded = new Embedded(options, paths, installed)
    try {
      const keeper = await embedded.#attach()
      await prepare(keeper)
      embedded.#keep(keeper)
      return embedded
    } catch (error) {
      await embedded.close()
      throw error
    }
  }

  private constructor(options: EmbeddedOptions, paths: ClusterPaths, installed: Native) {
    this.#installed = installed
    this.#options = options
    this.#paths = paths
    this.#socket = socketFolder(paths)
    this.url = `postgresql://turnpike@localhost/turnpike?host=${encodeURIComponent(this.#socket.folder)}&sslmode=disable`
    this.#logTimer = setInterval(() => trimLog(paths.log), 60_000).unref()
  }

  /** Releases the server, and stops it if no other process uses it. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    clearInterval(this.#logTimer)
    // A failure of the recovery has been reported, or is ending this process.
    await this.#recovery.catch(() => undefined)
    const keeper = this.#keeper
    this.#keeper = undefined
    if (keeper !== undefined) await this.#leave(keeper)
    if (this.#socket.fd !== undefined) closeSync(this.#socket.fd)
  }

  async #leave(keeper: pg.Client): Promise<void> {
    try {
      await unlock(keeper, 'presence', 'shared')
      // The server may take a moment to notice that another process that used it was killed.
      for (let attempt = 0; attempt < 4; attempt++) {
        if (attempt > 0) await sleep(25)
        // While the lock is held exclusively no process can attach, so stopping the server interrupts none.
        if (await tryLock(keeper, 'presence', 'alone')) return await stopServer(this.#paths.cluster)
      }
    } catch (error) {
      // A lost connection means that the server is down already.
      if (!isConnectionLost(error)) throw error
    } finally {
      await keeper.end()
    }
  }

  /** A connection that holds the locks of this process. */
  async #attach(): Promise<pg.Client> {
    const { role } = this.#options
    let deadline = performance.now() + patienceMs
    while (!this.#isClosing) {
      const found = await connectAdmin(this.#socket.folder, `turnpike ${role}, process ${process.pid}`)
      if (found === 'down') await this.#startUnlessOtherDoes()
      // Recovery after a crash, or a clean stop in progress, may take any time: the deadline starts anew.
      else if (found === 'busy') deadline = performance.now() + patienceMs
      else if (await this.#claim(found)) return found
      if (performance.now() > deadline)
        throw new DatabaseUnavailable(
          `The embedded database in ${this.#paths.cluster} does not answer; ${this.#paths.log} may say why.`,
        )
      await sleep(30)
    }
    throw new DatabaseUnavailable('The embedded database was closed while it was being opened.')
  }

  /** Takes the locks. False when the server is being stopped by its last user. */
  async #claim(client: pg.Client): Promise<boolean> {
    let isOurs = false
    try {
      if (!(await tryLock(client, 'presence', 'shared'))) return false
      if (this.#options.role === 'owner') await this.#claimOwnership(client)
      isOurs = true
      return true
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      return false
    } finally {
      if (!isOurs) await client.end()
    }
  }

  async #claimOwnership(client: pg.Client): Promise<void> {
    // The server may take a moment to notice that the previous owner was killed.
    for (let attempt = 0; attempt < 15; attempt++) {
      if (await tryLock(client, 'owner', 'alone')) return
      await sleep(40)
    }
    const holder = (await lockHolder(client, 'owner'))?.match(/process \d+/)?.[0] ?? 'another process'
    throw new OwnedByAnother(
      `Turnpike already runs on ${this.#options.dataDir} (${holder}): stop it first, or give this one another DATA_DIR.`,
    )
  }

  async #startUnlessOtherDoes(): Promise<void> {
    const release = await tryFolderLock('postgres', this.#paths.home)
    if (release === undefined) return
    try {
      // While the process of postmaster.pid lives the server is starting or stopping: wait for either.
      if (postmasterPid(this.#paths.cluster) === undefined) await this.#start()
    } finally {
      release()
    }
  }

  async #start(): Promise<void> {
    const { cluster, log } = this.#paths
    this.#server ??= await findServer(this.#installed, cluster)
    const options = { ...this.#server, durable: this.#options.durable }
    await ensureCluster(this.#paths, options)
    clearStaleLocks(cluster)
    trimLog(log)
    const launch = startServer(this.#paths, options)
    const deadline = performance.now() + patienceMs
    while (performance.now() < deadline) {
      if (launch.hasEnded) {
        launch.assertBusy()
        endOrphans(cluster)
        return
      }
      const found = await connectAdmin(this.#socket.folder, 'turnpike start')
      if (found === 'busy') return
      if (found !== 'down') return await found.end()
      await sleep(20)
    }
  }

  #keep(keeper: pg.Client): void {
    this.#keeper = keeper
    keeper.once('end', () => {
      this.#keeper = undefined
      if (!this.#isClosing) this.#recovery = this.#recover()
    })
  }

  /**
   * Restarts the server after it died, repeatedly if needed. Rejects when another process has become the
   * owner meanwhile. That rejection is deliberately unhandled and ends this process: two owners would both
   * serve the same money.
   */
  async #recover(): Promise<void> {
    for (let failures = 0; !this.#isClosing; failures++) {
      try {
        this.#keep(await this.#attach())
        return
      } catch (error) {
        if (this.#isClosing) return
        if (error instanceof OwnedByAnother) throw error
        if (failures === 0) this.#options.report(error instanceof Error ? error.message : String(error))
        await sleep(1000)
      }
    }
  }
}

class OwnedByAnother extends DatabaseUnavailable {}

async function findServer(installed: Native, cluster: string): Promise<{ native: string; as: RunAs }> {
  const as = permitted(serverUser(cluster))
  return { native: await usableNative(installed, as), as }
}

/**
 * The folder of the server's socket, for clients. A path that exceeds the 107 bytes of a socket address is
 * replaced by the path under /proc of a descriptor that this process holds open on the folder.
 */
function socketFolder({ home, cluster }: ClusterPaths): { folder: string; fd: number | undefined } {
  if (Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= 107) return { folder: cluster, fd: undefined }
  const fd = openSync(home, constants.O_RDONLY | constants.O_DIRECTORY)
  return { folder: `/proc/${process.pid}/fd/${fd}/${basename(cluster)}`, fd }
}
