/**
 * All workers of a gateway: starts them, drains them at the operator's request, and starts them again
 * afterwards.
 */
import type { GatewayPresence } from '#feed'
import type { OwnServer } from '#gateway'
import type { EntryPorts } from './entry.ports.ts'
import { idleCoresMeter, Standby } from './standby.ts'
import type { GatewayWorker } from './worker.ts'
import type { Log } from '../process/log.ts'
import { onSecondAsking } from '../process/stop.ts'

const lookEveryMs = 250

export interface GatewayWorkersOptions {
  /** Makes new workers that are not started: a stopped worker cannot be started again. */
  make: () => GatewayWorker[]
  /** Binds the entry ports, on which workers accept as they are needed; null: each listens on its own. */
  entryPorts: (() => Promise<EntryPorts>) | null
  /** The time for which tunnels may continue when workers are stopped. */
  drainMs: number
  log: Log
}

export class GatewayWorkers {
  readonly #options: GatewayWorkersOptions
  #workers: GatewayWorker[] = []
  #state: GatewayPresence['state'] = 'drained'
  #isChanging = false
  #entries: EntryPorts | null = null
  #standby = new Standby()
  #looking: NodeJS.Timeout | null = null

  constructor(options: GatewayWorkersOptions) {
    this.#options = options
  }

  get state(): GatewayPresence['state'] {
    return this.#state
  }

  get count(): number {
    return this.#workers.length
  }

  /** The number of workers that should run and do not. */
  get missing(): number {
    return this.#state === 'running' ? this.#workers.filter(({ isMissing }) => isMissing).length : 0
  }

  /**
   * Starts all workers. Rejects when one cannot be started, with a sentence if the operator can correct the
   * cause.
   */
  async start(): Promise<void> {
    this.#entries = (await this.#options.entryPorts?.()) ?? null
    this.#workers = this.#options.make()
    this.#state = 'running'
    try {
      // A port in use is reported once: by the first that fails.
      await Promise.all(this.#workers.map((worker) => worker.start()))
      await this.#divide()
    } catch (error) {
      this.#closeEntries()
      throw error
    }
  }

  /**
   * Makes as many workers as needed accept on the entry ports, and the others stop; repeats this
   * periodically.
   */
  async #divide(): Promise<void> {
    const entries = this.#entries
    if (entries === null) return
    const idleCores = idleCoresMeter()
    this.#standby = new Standby()
    const look = async () => {
      const serving = this.#workers.filter(({ isServing }) => isServing)
      const count = this.#standby.look(
        serving.map(({ use }) => use),
        idleCores(),
      )
      const chosen = serving.slice(0, count)
      await Promise.all(chosen.filter((one) => !one.isAccepting).map((one) => one.accept(entries)))
      // After the chosen workers accept, so that some worker accepts at every moment.
      for (const one of serving.slice(count)) if (one.isAccepting) one.acceptNoMore()
    }
    await look()
    const again = () => {
      this.#looking = setTimeout(
        () => void look().finally(() => this.#looking !== null && again()),
        lookEveryMs,
      )
    }
    again()
  }

  /** Stops accepting connections once the workers have closed their copies. */
  #closeEntries(): void {
    if (this.#looking !== null) clearTimeout(this.#looking)
    this.#looking = null
    this.#entries?.close()
    this.#entries = null
  }

  /**
   * Drains the gateway or makes it serve again, unless it already does or is being stopped. Waits for tunnels
   * that still drain, because the new workers take over the names of the old ones.
   */
  async want({ isDrained }: { isDrained: boolean }): Promise<void> {
    const { log, drainMs } = this.#options
    const isWanted = isDrained ? this.#state !== 'running' : this.#state !== 'drained'
    if (isWanted || this.#isChanging || this.#state === 'stopped') return
    this.#isChanging = true
    try {
      if (isDrained) {
        log.warn('the operator drains this gateway: it accepts no more connections')
        this.#state = 'draining'
        this.#closeEntries()
        await Promise.all(this.#workers.map((worker) => worker.stop(drainMs)))
        this.#set('drained')
        log.warn('this gateway is drained')
      } else {
        await this.start()
        log.warn('this gateway serves again')
      }
    } catch (error) {
      // For example, another program has taken the port: the next answer of the server repeats the attempt.
      log.error({ err: error }, 'this gateway cannot serve again')
      this.#closeEntries()
      await Promise.all(this.#workers.map((worker) => worker.stop(0)))
      this.#set('drained')
    } finally {
      this.#isChanging = false
    }
  }

  /** Replaces the servers behind the shop, for the present workers. */
  setOwnServers(servers: OwnServer[]): void {
    for (const worker of this.#workers) worker.setOwnServers(servers)
  }

  /** Stops the workers after the time for their tunnels; at once when the process is asked to end again. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#closeEntries()
    const stopAll = (graceMs: number) => Promise.all(this.#workers.map((worker) => worker.stop(graceMs)))
    const calm = onSecondAsking(() => void stopAll(0))
    await stopAll(this.#options.drainMs).finally(calm)
  }

  #set(state: GatewayPresence['state']): void {
    if (this.#state !== 'stopped') this.#state = state
  }
}
