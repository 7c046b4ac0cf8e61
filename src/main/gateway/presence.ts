/**
 * Reports this gateway to the server by its name every five seconds, and learns whether the operator wants it
 * drained. The requested state is also stored beside the journals, so that a restart without the server keeps
 * it.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Feed, GatewayPresence } from '#feed'
import { version } from '../cli/version.ts'
import type { WorkerStats } from './messages.ts'
import type { Log } from '../process/log.ts'
import type { GatewayWorkers } from './workers.ts'

const everyMs = 5_000
/** An unreachable server does not delay the start or the end of a gateway. */
const patienceMs = 2_000

export interface PresenceOptions {
  feed: Pick<Feed, 'present' | 'subscribe'>
  name: string
  folder: string
  portBase: number
  /** How many workers it has when it runs. */
  workers: number
  /** It takes over from a gateway that drains, and therefore serves. */
  takesOver: boolean
  log: Log
}

export class Presence {
  /** Whether the operator wants it drained, as far as is known. */
  isDrained: boolean
  readonly #options: PresenceOptions
  readonly #startedMs = performance.now()
  readonly #stats = new Map<number, WorkerStats>()
  readonly #file: string
  #takesOver: boolean
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> | undefined
  #isTellingAgain = false
  #unsubscribe: () => void = () => undefined
  #hasFailed = false

  constructor(options: PresenceOptions) {
    this.#options = options
    this.#takesOver = options.takesOver
    this.#file = path.join(options.folder, 'drained')
    this.isDrained = !options.takesOver && existsSync(this.#file)
  }

  /** The last report of a worker; null: it has died. */
  noteStats(index: number, stats: WorkerStats | null): void {
    if (stats === null) this.#stats.delete(index)
    else this.#stats.set(index, stats)
  }

  /** Workers that cannot write their journal, by their last reports: they refuse new tunnels. */
  get unwritable(): number {
    return [...this.#stats.values()].filter(({ journalHealthy }) => !journalHealthy).length
  }

  /**
   * Asks before the start whether the gateway is to serve; when the server does not answer in time, the
   * stored state applies.
   */
  async ask(): Promise<void> {
    await Promise.race([this.#tell('drained'), over(patienceMs)])
  }

  /** Reports the workers, and drains or starts them as the operator requests, until it is stopped. */
  follow(workers: GatewayWorkers): void {
    const tell = () => {
      if (this.#telling !== undefined) {
        this.#isTellingAgain = true
        return
      }
      this.#telling = this.#tell(workers.state).finally(() => {
        this.#telling = undefined
        const before = workers.state
        void workers.want(this).then(() => {
          if (workers.state !== before) tell()
        })
        if (this.#isTellingAgain || workers.state !== before) {
          this.#isTellingAgain = false
          tell()
        }
      })
    }
    this.#unsubscribe = this.#options.feed.subscribe(({ type }) => {
      if (type === 'gateways_changed' || type === 'reset') tell()
    })
    this.#timer = setInterval(tell, everyMs)
    tell()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#unsubscribe()
    await Promise.race([this.#tell('stopped'), over(patienceMs)])
  }

  async #tell(state: GatewayPresence['state']): Promise<void> {
    const { feed, name, portBase, workers, log } = this.#options
    const all = [...this.#stats.values()]
    const sum = (of: (stats: WorkerStats) => number) => all.reduce((total, stats) => total + of(stats), 0)
    try {
      const { drain } = await feed.present({
        name,
        version,
        address: `${hostname()}:${portBase}`,
        workers,
        up_ms: Math.round(performance.now() - this.#startedMs),
        state,
        reports_waiting: sum((stats) => stats.reportsWaiting),
        connections: sum((stats) => stats.connectionsOpen),
        ...(this.#takesOver ? { takes_over: true } : {}),
      })
      this.#takesOver = false
      this.#hasFailed = false
      this.#remember(drain)
    } catch (error) {
      // The server is unreachable: the last requested state stays in force.
      if (!this.#hasFailed) log.info({ err: error }, 'the server was not told the state of this gateway')
      this.#hasFailed = true
    }
  }

  #remember(isDrained: boolean): void {
    if (isDrained === this.isDrained && isDrained === existsSync(this.#file)) return
    this.isDrained = isDrained
    if (isDrained) writeFileSync(this.#file, '', { mode: 0o600 })
    else rmSync(this.#file, { force: true })
  }
}

const over = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
