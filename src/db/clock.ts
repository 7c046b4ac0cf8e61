import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from './schema.ts'

/** The database's time at this moment, asked for. */
export async function databaseTime(db: Kysely<DB>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database answered no time')
  return row.now
}

const readEveryMs = 5_000
/** An answer that took longer may be off by half as much: the reading before it is better. */
const slowAnswerMs = 1_000
/** How far a machine's own clock may be off before it is called wrong. */
const tolerableMs = 30_000

/**
 * The database's time, without asking for it each time. Whatever is written into rows or compared with them goes by this
 * one clock, on every machine, however wrong the machine's own is. It is read every few seconds, and carried on in
 * between by the monotonic clock, which nobody sets.
 */
export class DatabaseClock {
  readonly #pool: pg.Pool
  readonly #timer: NodeJS.Timeout
  /** The database's time less the monotonic clock's, milliseconds. */
  #offsetMs: number
  #reading: Promise<void> | undefined

  static async read(pool: pg.Pool): Promise<DatabaseClock> {
    return new DatabaseClock(pool, (await readOffset(pool)).offsetMs)
  }

  private constructor(pool: pg.Pool, offsetMs: number) {
    this.#pool = pool
    this.#offsetMs = offsetMs
    // While the database is away the monotonic clock goes on.
    this.#timer = setInterval(() => void this.refresh().catch(() => undefined), readEveryMs).unref()
  }

  /** The database's time, to some milliseconds. */
  now(): Date {
    return new Date(performance.now() + this.#offsetMs)
  }

  /** How far this machine's own clock is ahead of the database's, milliseconds; negative: behind. */
  get aheadMs(): number {
    return Date.now() - this.now().getTime()
  }

  /** Whether this machine's own clock can be relied on. */
  get isRight(): boolean {
    return Math.abs(this.aheadMs) <= tolerableMs
  }

  /** Reads it anew: for work that a pause of the whole machine must not put into the wrong time. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #read(): Promise<void> {
    const { offsetMs, tookMs } = await readOffset(this.#pool)
    if (tookMs <= slowAnswerMs) this.#offsetMs = offsetMs
  }
}

async function readOffset(pool: pg.Pool): Promise<{ offsetMs: number; tookMs: number }> {
  // The wait for a connection is no part of the answer's way.
  const client = await pool.connect()
  try {
    const begun = performance.now()
    const { rows } = await client.query<{ ms: number }>(
      `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
    )
    const ended = performance.now()
    return { offsetMs: (rows[0]?.ms ?? Number.NaN) - (begun + ended) / 2, tookMs: ended - begun }
  } finally {
    client.release()
  }
}
