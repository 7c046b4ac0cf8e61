import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { DB } from './schema.ts'

/** The database's time, by a query. */
export async function databaseTime(db: Kysely<DB>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database answered no time')
  return row.now
}

const readEveryMs = 5_000
/**
 * A reading that took longer is discarded: it may be off by half of its duration, more than the previous
 * reading.
 */
const slowAnswerMs = 1_000
/** The deviation from which on a machine's own clock is reported as wrong. */
const tolerableMs = 30_000

/**
 * The database's time without a query per use. All times that are written to rows or compared with them come
 * from this clock, on every machine, so a wrong clock of a machine has no effect on them. The database's
 * clock is read every few seconds and extrapolated in between by the monotonic clock, which no change of the
 * system time affects.
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
    // While the database is unavailable the last reading is extrapolated.
    this.#timer = setInterval(() => void this.refresh().catch(() => undefined), readEveryMs).unref()
  }

  /** The database's time, accurate to some milliseconds. */
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

  /**
   * Reads the database's clock now: for work that must have the right time even after a suspension of the
   * whole machine.
   */
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
  // Waiting for a connection must not count as part of the round trip.
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
