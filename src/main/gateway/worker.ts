/**
 * One gateway worker: a process that is restarted whenever it ends or cannot be started, until it is stopped.
 */
import { type ChildProcess, fork, type SendHandle } from 'node:child_process'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type { Feed } from '#feed'
import { serveFeed } from '#feed/server'
import type { OwnServer, PassedConnection, WorkerCoordinator } from '#gateway'
import type { Pool } from '#contract/wire'
import type { EntryPorts } from './entry.ports.ts'
import type { FromWorker, ToWorker, WorkerOptions, WorkerStats, WorkerUse } from './messages.ts'
import type { Log } from '../process/log.ts'
import { SettingFault } from '../settings/settings.ts'
import { workerEnvironment } from './worker.environment.ts'

/** Added to the time that tunnels may take to end: for settling the last reports. */
const killAfterMs = 15_000
/**
 * How long to wait for a killed process. One that the kernel cannot end, because its disk or network hangs,
 * is abandoned.
 */
const leaveAfterMs = 5_000
const restartMs = { first: 100, most: 5_000 }
/** A restarted worker counts as missing when it does not listen after this time, or could not be started. */
const patienceMs = 10_000
/** A worker that has sent no message for this long hangs: another one accepts in its place. */
const silentMs = 2_000
const feedFd = 4
const UNUSED: WorkerUse = { busy: 0, files: 0 }

export interface WorkerParts {
  log: Log
  /** The feed that the worker uses over its pipe; null: the worker connects to a server itself. */
  feed: Feed | null
  options: WorkerOptions
  /** Flags of V8 that this Node.js knows (`usableFlags`). */
  flags: readonly string[]
  /** Replaces the workers' file names in a refusal by those of the settings. */
  explain: (sentence: string) => string
  coordinator: WorkerCoordinator
  onStats: ((stats: WorkerStats | null) => void) | undefined
}

/** The outcome of an attempt to start the process. */
interface Outcome {
  listening: () => void
  over: (why: Error) => void
}

export class GatewayWorker {
  readonly #parts: WorkerParts
  #options: WorkerOptions
  #child: ChildProcess | undefined
  #restartMs = restartMs.first
  #timer: NodeJS.Timeout | undefined
  #isStopping = false
  #hasListened = false
  /** The pools on whose entry port it accepts, or was asked to accept. */
  #accepts = new Set<Pool>()
  /** Called with each pool that it has begun to accept on; null: its process has ended. */
  #onAccepting: ((pool: Pool | null) => void) | null = null
  /** The last report of its use, and the time of that report. */
  #use = { ...UNUSED, atMs: -Infinity }
  /** It ends, and accepts no more connections. */
  #isLeaving = false
  /** Null while it listens. */
  #missing: { sinceMs: number; hasFailed: boolean } | null = { sinceMs: performance.now(), hasFailed: false }

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#options = parts.options
  }

  /**
   * Starts the process; resolves when it listens, rejects when its first start fails: with a sentence for the
   * operator when the cause can be corrected. From then on it is restarted whenever it ends.
   */
  start(): Promise<void> {
    return new Promise((listening, over) => this.#begin({ listening, over }))
  }

  /** Whether it does not run, and was not restarted at once. */
  get isMissing(): boolean {
    if (this.#missing === null) return false
    return this.#missing.hasFailed || performance.now() - this.#missing.sinceMs > patienceMs
  }

  /**
   * Gives the worker this long to end its tunnels and settle its reports, then kills it. A second call may
   * shorten the time.
   */
  stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const killer = setTimeout(() => child.kill('SIGKILL'), graceMs + killAfterMs)
      const leaver = setTimeout(
        () => {
          this.#parts.log.error({ gateway: this.#name, pid: child.pid }, 'a gateway worker does not end')
          letGo(child)
          resolve()
        },
        graceMs + killAfterMs + leaveAfterMs,
      )
      child.once('exit', () => {
        clearTimeout(killer)
        clearTimeout(leaver)
        resolve()
      })
      if (!tell(child, { type: 'stop', graceMs })) child.kill('SIGTERM')
    })
  }

  /** Whether its process runs, serves, and has reported recently: one that hangs accepts nothing. */
  get isServing(): boolean {
    if (this.#child === undefined || this.#missing !== null || this.#isLeaving) return false
    return performance.now() - this.#use.atMs < silentMs
  }

  get use(): WorkerUse {
    return this.#use
  }

  get isAccepting(): boolean {
    return this.#accepts.size > 0
  }

  /**
   * Makes it accept on entry ports besides other workers. Resolves when it does, when its process has ended,
   * or when it has not answered in time: then the request is repeated.
   */
  accept({ bound }: EntryPorts): Promise<void> {
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    this.#accepts = new Set(bound.keys())
    return new Promise((resolve) => {
      const open = new Set(bound.keys())
      const done = () => {
        clearTimeout(timer)
        this.#onAccepting = null
        resolve()
      }
      const timer = setTimeout(() => {
        this.#accepts.clear()
        done()
      }, silentMs)
      this.#onAccepting = (pool) => {
        if (pool !== null) open.delete(pool)
        if (pool === null || open.size === 0) done()
      }
      for (const [pool, handle] of bound) tell(child, { type: 'accept', pool }, handle)
    })
  }

  /** Makes it stop accepting on the entry ports; its connections stay open. */
  acceptNoMore(): void {
    this.#accepts.clear()
    if (this.#child !== undefined) tell(this.#child, { type: 'accept_no_more' })
  }

  /** Replaces the servers behind the shop, also for restarts. */
  setOwnServers(ownServers: OwnServer[]): void {
    this.#options = { ...this.#options, ownServers }
    if (this.#child !== undefined) tell(this.#child, { type: 'own_servers', servers: ownServers })
  }

  #uses(use: WorkerUse): void {
    this.#use = { ...use, atMs: performance.now() }
  }

  get #name(): string {
    return this.#options.gateway
  }

  #begin({ listening, over }: Outcome): void {
    if (this.#isStopping) return over(new Error('the gateway is being stopped'))
    const child = startProcess(this.#parts.feed !== null, this.#parts.flags)
    if (child instanceof Error) return this.#notStarted(child, over)
    child.on('error', (error) => {
      if (child.pid === undefined) this.#notStarted(error, over)
      else this.#parts.log.warn({ err: error, gateway: this.#name }, 'a gateway worker cannot be signalled')
    })
    // The "error" event follows with the reason. There is no process to send messages to.
    if (child.pid === undefined) return letGo(child)
    this.#child = child
    this.#attend(child, { listening, over })
    tell(child, { type: 'start', options: this.#options })
  }

  /** Serves a running process until it ends. */
  #attend(child: ChildProcess, { listening, over }: Outcome): void {
    const { feed, coordinator, onStats, explain } = this.#parts
    const endFeed = feed === null ? null : serveFeed(feed, child.stdio[feedFd] as unknown as Duplex)
    const member = coordinator.join(
      (message, connection) => void tell(child, { type: 'bus', message }, connection),
    )
    let refusal: Error | undefined
    child.on('message', (message: FromWorker, handle?: unknown) => {
      if (message.type === 'bus')
        return member.receive(message.message, handle as PassedConnection | undefined)
      if (message.type === 'stats') return onStats?.(message.stats)
      if (message.type === 'use') return this.#uses(message.use)
      if (message.type === 'leaving') return void (this.#isLeaving = true)
      if (message.type === 'accepting') return this.#onAccepting?.(message.pool)
      if (message.type === 'refused') return void (refusal = new SettingFault(explain(message.sentence)))
      this.#restartMs = restartMs.first
      this.#hasListened = true
      this.#missing = null
      this.#uses(UNUSED)
      listening()
    })
    child.once('exit', (code, signal) => {
      endFeed?.()
      member.leave()
      onStats?.(null)
      this.#child = undefined
      this.#accepts.clear()
      this.#isLeaving = false
      this.#use = { ...UNUSED, atMs: -Infinity }
      this.#onAccepting?.(null)
      const hasFailed = this.#missing !== null
      this.#missing = { sinceMs: this.#missing?.sinceMs ?? performance.now(), hasFailed }
      if (!this.#isStopping && this.#hasListened)
        this.#parts.log.error(
          { gateway: this.#name, code, signal, reason: refusal?.message },
          'a gateway worker died; starting it again',
        )
      over(refusal ?? new Error(`a gateway worker ended at its start (${signal ?? code})`))
      this.#again()
    })
  }

  /**
   * Called when no process could be started: an upgrade moved the program, or the machine is out of
   * resources.
   */
  #notStarted(error: Error, over: Outcome['over']): void {
    this.#missing = { sinceMs: this.#missing?.sinceMs ?? performance.now(), hasFailed: true }
    this.#parts.log.error({ err: error, gateway: this.#name }, 'a gateway worker cannot be started')
    over(error)
    this.#again()
  }

  /** Restarts the worker, which reports what the ended process left in its journal. */
  #again(): void {
    // A failure of the first start rejects `start`, and there is no restart.
    if (this.#isStopping || !this.#hasListened) return
    const ignored = () => undefined
    this.#timer = setTimeout(() => this.#begin({ listening: ignored, over: ignored }), this.#restartMs)
    this.#restartMs = Math.min(this.#restartMs * 2, restartMs.most)
  }
}

/** Node.js reports some failures to start a process with an event, and throws others. */
function startProcess(hasPipe: boolean, flags: readonly string[]): ChildProcess | Error {
  try {
    return fork(path.join(import.meta.dirname, 'process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', hasPipe ? 'pipe' : 'ignore'],
      // Detached, because Ctrl-C signals the whole process group: the worker ends when asked, so that its
      // last report is settled.
      detached: true,
      execArgv: [...process.execArgv, ...flags],
      env: workerEnvironment(process.env),
    })
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return error
    throw error
  }
}

/**
 * Sends a message; false when there is no channel. Errors are ignored, because a worker that ends needs no
 * message.
 */
function tell(child: ChildProcess, message: ToWorker, connection?: PassedConnection): boolean {
  if (!child.connected) return false
  // Node.js sends the handle of a connection like a socket, and leaves it open here; its types do not say so.
  child.send(message, connection as SendHandle, {}, () => undefined)
  return true
}

/** Releases everything of the worker that keeps this process alive. */
function letGo(child: ChildProcess): void {
  child.unref()
  if (child.connected) child.disconnect()
  const pipe = child.stdio?.[feedFd]
  pipe?.destroy()
}
