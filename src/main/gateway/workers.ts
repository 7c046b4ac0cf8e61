/** The workers of a gateway together: they are started, drained by the operator's wish, and started again when that ends. */
import type { GatewayPresence } from '#feed'
import type { GatewayWorker } from './worker.ts'
import type { Log } from '../process/log.ts'
import { onSecondAsking } from '../process/stop.ts'

export interface GatewayWorkersOptions {
  /** New ones, not started: a worker that was stopped does not begin again. */
  make: () => GatewayWorker[]
  /** For how long their tunnels may go on. */
  drainMs: number
  log: Log
}

export class GatewayWorkers {
  readonly #options: GatewayWorkersOptions
  #workers: GatewayWorker[] = []
  #state: GatewayPresence['state'] = 'drained'
  #isChanging = false

  constructor(options: GatewayWorkersOptions) {
    this.#options = options
  }

  get state(): GatewayPresence['state'] {
    return this.#state
  }

  get count(): number {
    return this.#workers.length
  }

  /** How many should run, and do not. */
  get missing(): number {
    return this.#state === 'running' ? this.#workers.filter(({ isMissing }) => isMissing).length : 0
  }

  /** Starts all of them; rejects, in a sentence where the operator can mend it, when one cannot be. */
  async start(): Promise<void> {
    this.#workers = this.#options.make()
    this.#state = 'running'
    // One after the other: a port in use is then said once.
    for (const worker of this.#workers) await worker.start()
  }

  /**
   * Drains the gateway, or has it serve again, unless it does so or is being stopped. Tunnels that still drain are waited
   * for: the workers that begin take over their names.
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
        await Promise.all(this.#workers.map((worker) => worker.stop(drainMs)))
        this.#set('drained')
        log.warn('this gateway is drained')
      } else {
        await this.start()
        log.warn('this gateway serves again')
      }
    } catch (error) {
      // Such as a port that another program has taken meanwhile: it is tried again with the next word of the server.
      log.error({ err: error }, 'this gateway cannot serve again')
      await Promise.all(this.#workers.map((worker) => worker.stop(0)))
      this.#set('drained')
    } finally {
      this.#isChanging = false
    }
  }

  /** Ends them, with their time for tunnels; at once when the process is asked to end again. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    const stopAll = (graceMs: number) => Promise.all(this.#workers.map((worker) => worker.stop(graceMs)))
    const calm = onSecondAsking(() => void stopAll(0))
    await stopAll(this.#options.drainMs).finally(calm)
  }

  #set(state: GatewayPresence['state']): void {
    if (this.#state !== 'stopped') this.#state = state
  }
}
