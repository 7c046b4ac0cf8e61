/**
 * Runs background jobs for as long as the process lives, across outages of the database.
 *
 * graphile-worker 0.18 does not survive the loss of its database. It completes jobs without awaiting the
 * result, so a connection that breaks at that moment causes an unhandled rejection; configured to complete
 * them in batches (a delay of 0) it stops silently instead; it reads the ids of its tasks once and caches a
 * failure for ever; and its listener may wait up to a minute before it reconnects. Therefore a runner lives
 * only as long as its connections: when one of them fails the runner is stopped, and a new one is started as
 * soon as the database is available.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type JobHelpers,
  type Logger,
  run,
  type Runner,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import { sql } from 'kysely'
import { bigintArray } from '#lib/pg-array'
import { isDatabaseAway } from '../connections/away.ts'
import type { Database } from '../db.ts'
import type { DatabasePool } from '../connections/pool.ts'
import { AbandonedJobs, holdPresence, type Presence } from './presence.ts'
import { transaction } from '../transaction.ts'

export interface JobsOptions {
  tasks: TaskList
  /** The number of jobs that run at a time. */
  concurrency: number
  /** Receives graphile-worker's messages. */
  logger: Logger
  /** Called when jobs have stopped, run again, or cannot be started, with the reason. */
  report: (sentence: string, error?: unknown) => void
  /** Milliseconds between two attempts to start a runner (1,000). */
  waitMs?: number
  /**
   * Milliseconds between two checks for killed workers (5,000), and how long a lock must be missing (15,000).
   */
  killed?: { everyMs: number; graceMs: number }
}

export interface Jobs {
  /** Whether a runner is active. */
  readonly isRunning: boolean
  /** Starts no further job; resolves when the running ones have ended. */
  stop: () => Promise<void>
}

const waitMs = 1_000
/** The time between two polls of all idle workers together. */
const pollEveryMs = 500
/** The connections by which jobs are taken and completed. */
const maxConnections = 4
/** The time for a stopped runner to end by itself; it may be waiting for an answer that never comes. */
const graceMs = 5_000
/** The time between two attempts to take the lock that shows that a worker is alive. */
const presenceWaitMs = 500

/** Runs jobs until it is stopped. Resolves when a runner is active, or waits for an unavailable database. */
export async function runJobs(
  database: Pick<Database, 'db' | 'plainPool'>,
  options: JobsOptions,
): Promise<Jobs> {
  const supervisor = new Supervisor(database, options)
  await supervisor.begin()
  return supervisor
}

class Supervisor implements Jobs {
  readonly #database: Pick<Database, 'db' | 'plainPool'>
  readonly #options: JobsOptions
  readonly #stopping = new AbortController()
  /** Former shifts whose jobs have not been released yet. */
  readonly #leaving = new Set<Promise<void>>()
  #shift: Shift | null = null
  #loop: Promise<void> = Promise.resolve()

  constructor(database: Pick<Database, 'db' | 'plainPool'>, options: JobsOptions) {
    this.#database = database
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#shift?.isRunning === true
  }

  /** Rejects when the first attempt fails, except when the reason is an unavailable database. */
  async begin(): Promise<void> {
    try {
      this.#shift = await Shift.begin(this.#database, this.#options)
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      this.#options.report('background jobs cannot be run', error)
    }
    this.#loop = this.#supervise()
    void this.#lookForKilled()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#shift?.stop()
    await this.#loop
    await Promise.all(this.#leaving)
  }

  /** Releases the jobs of killed workers, of this process or others. */
  async #lookForKilled(): Promise<void> {
    const { everyMs, graceMs } = this.#options.killed ?? { everyMs: 5_000, graceMs: 15_000 }
    const abandoned = new AbandonedJobs(this.#database.db, { graceMs })
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted || !this.isRunning) continue
      // Without the database there is nothing to release; what supervises the runner reports it.
      const released = await abandoned.release().catch(() => [])
      if (released.length > 0) this.#options.report('jobs of killed workers are released')
    }
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping
    for (let failures = 0; ;) {
      if (this.#shift !== null) {
        const left = this.#shift
        const fault = await left.stopped
        if (!signal.aborted) this.#options.report('background jobs have stopped', fault)
        this.#shift = null
        this.#leave(left)
      }
      await this.#pause()
      if (signal.aborted) return
      try {
        this.#shift = await Shift.begin(this.#database, this.#options)
        failures = 0
        if (signal.aborted) this.#shift.stop()
        else this.#options.report('background jobs run again')
      } catch (error) {
        if (failures++ === 0) this.#options.report('background jobs cannot be run', error)
      }
    }
  }

  #leave(shift: Shift): void {
    const leaving = this.#giveBack(shift).finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }

  /**
   * Releases the jobs that the shift still holds, and completes those it has done, so that a job whose
   * completion could not be recorded does not run a second time. Awaits jobs that still run: their runner may
   * have ended before them.
   */
  async #giveBack(shift: Shift): Promise<void> {
    const { signal } = this.#stopping
    await shift.end(signal.aborted)
    await this.#release(shift)
    await shift.presence?.end()
  }

  async #release(shift: Shift): Promise<void> {
    const { signal } = this.#stopping
    for (let failures = 0; ; failures++) {
      try {
        await giveBackJobs(this.#database, shift)
        return
      } catch (error) {
        if (failures === 0)
          this.#options.report('background jobs that were begun cannot be given back', error)
        // A process that stops does not wait for the database: `releaseJobs` of another process releases the
        // jobs.
        if (signal.aborted) return
      }
      await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    // An abort ends only the wait: the loops check the signal themselves.
    await sleep(this.#options.waitMs ?? waitMs, undefined, { signal: this.#stopping.signal }).catch(
      () => undefined,
    )
  }
}

async function giveBackJobs(
  { db }: Pick<Database, 'db'>,
  { holder, done }: Pick<Shift, 'holder' | 'done'>,
): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`select graphile_worker.force_unlock_workers(array[${holder}::text])`.execute(tx)
    await sql`select graphile_worker.complete_jobs(${bigintArray(done)}::bigint[])`.execute(tx)
  })
}

/** Finished jobs remembered per shift: more than can be waiting for their completion to be recorded. */
const mostDone = 1_000

/** One runner of graphile-worker, with connections of its own. */
class Shift {
  /** The name under which its jobs are locked. */
  holder = ''
  /** Shows other workers that this one is alive, until its jobs are released. */
  presence: Presence | undefined
  /** Resolves when it stops, with the error that stopped it, or undefined. */
  readonly stopped: Promise<unknown>
  #isRunning = false
  readonly #pool: DatabasePool
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #done = new Set<string>()
  readonly #events = new EventEmitter() as WorkerEvents
  #runner: Runner | undefined

  static async begin(
    { plainPool }: Pick<Database, 'plainPool'>,
    { tasks, concurrency, logger }: JobsOptions,
  ): Promise<Shift> {
    // A job is taken and completed by one statement each: jobs share connections. One connection listens, and
    // graphile-worker occasionally uses another.
    const pool = plainPool({ maxConnections: maxConnections + 2, applicationName: 'turnpike jobs' })
    const shift = new Shift(pool)
    try {
      shift.#runner = await run({
        pgPool: pool,
        concurrency,
        noHandleSignals: true,
        logger,
        events: shift.#events,
        taskList: shift.#watched(tasks),
        preset: {
          worker: {
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
            // Each idle worker polls; new jobs are announced, so only repetitions wait for it.
            pollInterval: concurrency * pollEveryMs,
            // A few statements a second gain nothing from being prepared, and an undetected pooler would
            // break them.
            preparedStatements: false,
          },
        },
      })
    } catch (error) {
      pool.abandon('background jobs could not be begun')
      void pool.end()
      throw error
    }
    shift.#isRunning = true
    shift.presence = holdPresence({ plainPool }, { holder: shift.holder, waitMs: presenceWaitMs })
    return shift
  }

  private constructor(pool: DatabasePool) {
    this.#pool = pool
    this.stopped = new Promise((resolve) => {
      let fault: unknown
      const fail = ({ error }: { error: unknown }) => {
        fault ??= error
        this.stop()
      }
      this.#events.on('pool:create', ({ workerPool }) => (this.holder = workerPool.id))
      // The unanswered statement may have locked a job: all jobs of the shift are released.
      this.#events.on('worker:getJob:error', fail)
      this.#events.on('pool:listen:error', fail)
      this.#events.on('pool:fatalError', ({ error }) => (fault ??= error))
      const over = () => {
        this.#isRunning = false
        resolve(fault)
      }
      this.#events.on('stop', over)
      // When the completion of a job cannot be recorded, the worker pool stops first and may never notify the
      // runner.
      this.#events.on('pool:gracefulShutdown', over)
    })
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Finished jobs, including those whose completion is not recorded yet. */
  get done(): bigint[] {
    return [...this.#done].map(BigInt)
  }

  /** Starts no further job. */
  stop(): void {
    // `stop` rejects when the runner is already stopping by itself.
    void this.#runner?.stop().catch(() => undefined)
  }

  /**
   * Resolves when none of its jobs runs any more. The runner has `graceMs` to end by itself, counted from the
   * end of its jobs when the whole process stops (`isLast`), because those take the time they need.
   */
  async end(isLast: boolean): Promise<void> {
    const jobsEnd = () => Promise.allSettled(this.#underWay)
    if (isLast) await jobsEnd()
    const ended = this.#runner?.promise.catch(() => undefined)
    await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
    this.#pool.abandon('Background jobs have stopped.')
    void this.#pool.end()
    await jobsEnd()
  }

  /** The tasks, wrapped so that running and finished jobs are recorded. */
  #watched(tasks: TaskList): TaskList {
    const watched = Object.entries(tasks).map(([name, task]) => [
      name,
      async (payload: unknown, helpers: JobHelpers) => {
        const work = Promise.resolve(task?.(payload, helpers))
        this.#underWay.add(work)
        try {
          const result = await work
          this.#noteDone(helpers.job.id)
          return result
        } finally {
          this.#underWay.delete(work)
        }
      },
    ])
    return Object.fromEntries(watched) as TaskList
  }

  #noteDone(id: string): void {
    this.#done.add(id)
    for (const oldest of this.#done) {
      if (this.#done.size <= mostDone) return
      this.#done.delete(oldest)
    }
  }
}
