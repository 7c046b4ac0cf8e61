import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { tryFolderLock } from '#lib/folder-lock'
import { connectAdmin, isConnectionLost, lockHolder, prepare, tryLock, unlock } from './admin.ts'
import { type ClusterPaths, clusterPaths, ensureCluster, ensureHome } from './cluster.ts'
import { type Native, installedNative, usableNative } from './native.ts'
import { nobody, permitted, type RunAs, serverUser } from './run-as.ts'
import { trimLog } from './server-log.ts'
import { clearStaleLocks, postmasterPid } from './server-process.ts'
import { endOrphans, startServer, stopServer } from './server.ts'
import { DatabaseUnavailable } from './unavailable.ts'

export interface EmbeddedOptions {
  dataDir: string
  /** "owner": the one `turnpike up` of this DATA_DIR. "guest": any other process that uses its database. */
  role: 'owner' | 'guest'
  /** False only for databases that are thrown away: commits do not wait for the disk. */
  durable: boolean
  /** Told, in a sentence, when the server is lost and cannot be brought back at once. */
  report: (sentence: string) => void
}

/** How long a server may neither answer nor say that it is starting. */
const patienceMs = 60_000

/**
 * The embedded PostgreSQL of a DATA_DIR, shared by all processes that use it: whoever finds it down starts it, whoever
 * finds it running (even after its starter was killed) adopts it, the last one to close stops it, and while one
 * is open it brings a server that died back.
 */
export class Embedded {
  /** For any PostgreSQL client of this machine and user, as long as this process lives. */
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
   * Opens it, making and starting it as needed. Refuses a second owner, a platform without binaries, and
   * a folder that cannot be used, each with a sentence.
   */
  static async open(options: EmbeddedOptions): Promise<Embedded> {
    const installed = installedNative()
    const paths = clusterPaths(resolve(options.dataDir))
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

  /** Lets go of the server, and stops it if no other process uses it. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    clearInterval(this.#logTimer)
    // Its failure has been reported or is ending this process.
    await this.#recovery.catch(() => undefined)
    const keeper = this.#keeper
    this.#keeper = undefined
    if (keeper !== undefined) await this.#leave(keeper)
    if (this.#socket.fd !== undefined) closeSync(this.#socket.fd)
  }

  async #leave(keeper: pg.Client): Promise<void> {
    try {
      await unlock(keeper, 'presence', 'shared')
      // The server needs a moment to notice that another user of it was killed.
      for (let attempt = 0; attempt < 4; attempt++) {
        if (attempt > 0) await sleep(25)
        // While we hold it alone nobody can join, so nobody is cut off.
        if (await tryLock(keeper, 'presence', 'alone')) return await stopServer(this.#paths.cluster)
      }
    } catch (error) {
      // The server is down already, which is what we were about to see to.
      if (!isConnectionLost(error)) throw error
    } finally {
      await keeper.end()
    }
  }

  /** A connection that holds our locks. */
  async #attach(): Promise<pg.Client> {
    const { role } = this.#options
    let deadline = performance.now() + patienceMs
    while (!this.#isClosing) {
      const found = await connectAdmin(this.#socket.folder, `turnpike ${role}, process ${process.pid}`)
      if (found === 'down') await this.#startUnlessOtherDoes()
      // Recovery after a crash takes as long as it takes, and so does a clean stop that we wait for.
      else if (found === 'busy') deadline = performance.now() + patienceMs
      else if (await this.#claim(found)) {
        if (!this.#isOutdated()) return found
        await found.end()
        await stopServer(this.#paths.cluster)
      }
      if (performance.now() > deadline)
        throw new DatabaseUnavailable(
          `The embedded database in ${this.#paths.cluster} does not answer; ${this.#paths.log} may say why.`,
        )
      await sleep(30)
    }
    throw new DatabaseUnavailable('The embedded database was closed while it was being opened.')
  }

  /** False when the server is just being stopped by its last user. */
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

  /** A server of an earlier release runs on, as `nobody` and trusting all of that name: its owner starts it anew. */
  #isOutdated(): boolean {
    if (process.geteuid?.() !== 0 || this.#options.role !== 'owner') return false
    return lstatSync(this.#paths.cluster).uid === nobody
  }

  async #claimOwnership(client: pg.Client): Promise<void> {
    // The server needs a moment to notice that an owner before us was killed.
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
      // With a process behind postmaster.pid the server is coming up or going down: wait for either.
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
   * The server died under us: bring it back, as often as it takes. Finding that another process has become the owner meanwhile
   * rejects, which nobody handles and so ends this process: two owners would both answer for the same money.
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
 * Where clients find the server's socket. A path over the 107 bytes of a socket address is entered through an open
 * folder of ours instead, whose name under /proc is short.
 */
function socketFolder({ home, cluster }: ClusterPaths): { folder: string; fd: number | undefined } {
  if (Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= 107) return { folder: cluster, fd: undefined }
  const fd = openSync(home, constants.O_RDONLY | constants.O_DIRECTORY)
  return { folder: `/proc/${process.pid}/fd/${fd}/${basename(cluster)}`, fd }
}
