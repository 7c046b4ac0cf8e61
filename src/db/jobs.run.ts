/**
 * Runs background jobs for as long as the process lives, whatever becomes of the database in between.
 *
 * graphile-worker 0.18 does not outlive its database by itself. It completes jobs without waiting for the answer, so that a
 * connection which breaks then is an unhandled rejection; told to complete them in batches (a delay of 0) it ends itself
 * instead, in silence; the ids of its tasks, read once, are a rejected promise for ever when that fails; and its listener
 * tries again up to a minute later. So a runner lives as long as its connections: when one of them fails it is stopped, and
 * a new one takes its place as soon as the database is there.
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
import { isDatabaseAway } from './connections/away.ts'
import type { Database } from './db.ts'
import type { DatabasePool } from './connections/pool.ts'
import { transaction } from './transaction.ts'

export interface JobsOptions {
  tasks: TaskList
  /** How many jobs at a time. */
  concurrency: number
  /** What graphile-worker has to say. */
  logger: Logger
  /** Told that jobs have stopped, run again, or cannot be begun, and why. */
  report: (sentence: string, error?: unknown) => void
  /** Between two attempts to run (1,000). */
  waitMs?: number
}

export interface Jobs {
  /** Whether jobs are being run at present. */
  readonly isRunning: boolean
  /** Begins no further job; resolves when those that were begun have ended. */
  stop: () => Promise<void>
}

const waitMs = 1_000
/** For a runner that has been stopped to end by itself; it may be waiting for an answer that never comes. */
const graceMs = 5_000

/** Resolves when jobs run, or are waiting for a database that is away. */
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
  /** Former shifts whose jobs have not been given back yet. */
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

  /** The first attempt fails for every reason but a database that is away. */
  async begin(): Promise<void> {
    try {
      this.#shift = await Shift.begin(this.#database, this.#options)
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      this.#options.report('background jobs cannot be run', error)
    }
    this.#loop = this.#supervise()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#shift?.stop()
    await this.#loop
    await Promise.all(this.#leaving)
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
   * What the shift still holds is free for others, and what it has done is done: a job whose end could not be written down
   * is not run a second time. Jobs that still run are waited for; their runner may have given them up, they have not.
   */
  async #giveBack(shift: Shift): Promise<void> {
    const { signal } = this.#stopping
    await shift.end(signal.aborted)
    for (let failures = 0; ; failures++) {
      try {
        await giveBackJobs(this.#database, shift)
        return
      } catch (error) {
        if (failures === 0)
          this.#options.report('background jobs that were begun cannot be given back', error)
        // A process that stops does not wait for the database: `releaseJobs` of another one frees them.
        if (signal.aborted) return
      }
      await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    // Woken by the signal, it has nothing to say: the loops look at the signal themselves.
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

/** The ends of this many jobs are remembered: more than can be waiting to be written down. */
const mostDone = 1_000

/** One life of a runner, over connections of its own. */
class Shift {
  /** Under which name jobs are locked. */
  holder = ''
  /** Set when it stops: with what failed, or undefined. */
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
    // Besides the jobs one connection listens, and graphile-worker's own work wants one now and then.
    const pool = plainPool({ maxConnections: concurrency + 2, applicationName: 'turnpike jobs' })
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
            // A few statements a second gain nothing from being prepared, and a pooler that is not noticed would break them.
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
      // A job may have been locked by what was asked and not answered: the whole shift is given back.
      this.#events.on('worker:getJob:error', fail)
      this.#events.on('pool:listen:error', fail)
      this.#events.on('pool:fatalError', ({ error }) => (fault ??= error))
      const over = () => {
        this.#isRunning = false
        resolve(fault)
      }
      this.#events.on('stop', over)
      // When the end of a job could not be written down the pool of workers stops first, and may never tell the runner.
      this.#events.on('pool:gracefulShutdown', over)
    })
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Jobs that have been done, whether or not that is written down. */
  get done(): bigint[] {
    return [...this.#done].map(BigInt)
  }

  /** Begins no further job. */
  stop(): void {
    // It may have begun to stop by itself.
    void this.#runner?.stop().catch(() => undefined)
  }

  /**
   * Resolves when no job of it runs any more. Its runner has a while to end by itself; when the process stops, after its
   * jobs, which take the time they need.
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

  /** The tasks, so that it is known which jobs run and which are done. */
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
