import pg from 'pg'
import { errorCode, isPlanOutdated } from './errors.ts'
import { asPrepared } from './prepared.ts'
import { isDescribed, type NamedStatement, PreparedQuery } from './prepared.query.ts'
import type { Servers } from './servers.ts'

/** The options of the connections of one pool or listener. */
export interface Connecting {
  servers: Servers
  applicationName: string
  /** Parsers of values; default: those of node-postgres. */
  types?: pg.CustomTypesConfig
  /**
   * For connections with short statements only: the time limit of each answer, instead of one derived from
   * statement_timeout.
   */
  answerWithinMs?: number
  /** The time limit of a connection attempt: 10 s, or 3 s when there are other servers to try. */
  connectWithinMs?: number
}

const statementMs = 60_000
/** Added to the server's own time limit of a statement, for its answer to arrive. */
const marginMs = 5_000

type Send = (...given: unknown[]) => unknown

/**
 * A connection to one of the servers, which detects that its peer is gone: while idle by TCP keep-alive, and
 * with a statement in flight by a time limit on the client's side, because the server's error could not
 * arrive. Node.js does not support TCP_USER_TIMEOUT, without which the kernel retransmits for about 15
 * minutes.
 *
 * A statement is never cancelled: a commit that waits for a synchronous standby and is cancelled is committed
 * locally, and lost at a failover.
 */
export class DatabaseClient extends pg.Client {
  readonly url: string
  readonly #servers: Servers
  readonly #answerWithinMs: number | undefined
  readonly #send: Send
  /** The session's statement_timeout, and its value by `set local` in the open transaction. */
  #statementMs = statementMs
  #localStatementMs: number | undefined
  #inFlight = 0
  #isRetired = false

  constructor({ servers, applicationName, types, answerWithinMs, connectWithinMs }: Connecting) {
    const url = servers.current
    super({
      connectionString: url,
      application_name: applicationName,
      ...(types === undefined ? {} : { types }),
      keepAlive: true,
      // The kernel's default is two hours. After this delay it sends a probe every second, ten times.
      keepAliveInitialDelayMillis: 5_000,
      connectionTimeoutMillis: connectWithinMs ?? (servers.urls.length > 1 ? 3_000 : 10_000),
      statement_timeout: statementMs,
      // A transaction forgotten by a bug would hold its locks for ever.
      idle_in_transaction_session_timeout: 60_000,
    })
    this.url = url
    this.#servers = servers
    this.#answerWithinMs = answerWithinMs
    // A lost connection fails the pending query and emits "end"; an "error" event without a listener would
    // end the process.
    this.on('error', () => undefined)
    this.once('end', () => servers.ended(this))
    this.#send = this.query.bind(this) as Send
    this.query = ((...given: unknown[]) => this.#timed(given)) as pg.Client['query']
  }

  /** Whether it must not be used for new work. */
  get isRetired(): boolean {
    return this.#isRetired
  }

  /**
   * Begins a transaction and executes its first statement, where possible in one exchange with the server: the
   * system calls of an exchange cost more than most statements.
   */
  async beginWith(begin: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const statement = asPrepared([text, values], this.database ?? '')
    if (statement !== null && isDescribed(this.connection, statement))
      return this.#sendPrepared(statement, begin)
    await this.query(begin)
    return this.query(text, values)
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error | null) => void): void
  override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
    const opening = this.#open()
    if (callback === undefined) return opening
    opening.then(() => callback(null), callback)
  }

  /** Closes it at once, failing a statement in flight. */
  abandon(reason: string): void {
    this.connection.stream.destroy(Object.assign(new Error(reason), { code: 'ETIMEDOUT' }))
  }

  /** Closes it when it is idle, else when it is returned to the pool. */
  retire(): void {
    this.#isRetired = true
    if (this.#inFlight === 0 && this.getTransactionStatus() === 'I')
      this.abandon('The server is not the primary any more.')
  }

  async #open(): Promise<pg.Client> {
    try {
      await super.connect()
      if (this.#servers.mustBePrimary && (await this.#isInRecovery())) throw new NotPrimary()
    } catch (error) {
      this.#servers.failed(this.url)
      this.connection.stream.destroy()
      throw error
    }
    this.#servers.opened(this)
    return this
  }

  async #isInRecovery(): Promise<boolean> {
    const { rows } = await this.query<{ it: boolean }>('select pg_is_in_recovery() as it')
    return rows[0]?.it === true
  }

  /** Sends a statement under a time limit. A COPY has none: it takes as long as its stream. */
  #timed(given: unknown[]): unknown {
    const statement = asPrepared(given, this.database ?? '')
    if (statement !== null) return this.#sendPrepared(statement)
    const [what] = given
    const text = typeof what === 'string' ? what : textOf(what)
    if (text === undefined) return this.#send(...given)
    const end = this.#expectAnswer(text)
    const callback = given.at(-1)
    if (typeof callback === 'function')
      return this.#send(...given.slice(0, -1), (error: unknown, ...results: unknown[]) => {
        end(error)
        callback(error, ...results)
      })
    const answer = this.#send(...given)
    if (answer instanceof Promise) answer.then(() => end(null), end)
    return answer
  }

  #sendPrepared(statement: NamedStatement, begin: string | null = null): Promise<pg.QueryResult> {
    const end = this.#expectAnswer()
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, result: pg.QueryResult) => {
        end(error)
        if (error === null) return resolve(result)
        // Otherwise the trace begins where the answer was read.
        Error.captureStackTrace(error)
        reject(error)
      }
      this.#send(new PreparedQuery(statement, done, begin))
    })
  }

  /**
   * Starts the time limit of a statement, whose text is given where it may change the limit. Returns the
   * function to call at its end, with its error or null.
   */
  #expectAnswer(text?: string): (error: unknown) => void {
    let hasEnded = false
    const limitMs = this.#limitOf(text)
    const late = () => {
      if (!hasEnded) this.abandon(`The database did not answer within ${Math.round(limitMs / 1000)} s.`)
    }
    // Checked one turn of the event loop later: if this process was blocked, the answer may be waiting to be
    // read.
    const timer = Number.isFinite(limitMs) ? setTimeout(() => setImmediate(late), limitMs).unref() : undefined
    this.#inFlight++
    return (error) => {
      if (hasEnded) return
      hasEnded = true
      this.#inFlight--
      clearTimeout(timer)
      if (errorCode(error) === '25006' || isPlanOutdated(error)) this.#servers.retire(this.url)
    }
  }

  /**
   * The time limit of a statement: it follows changes of statement_timeout, so a statement that the server
   * allows more time gets it here too.
   */
  #limitOf(text: string | undefined): number {
    if (this.getTransactionStatus() === 'I') this.#localStatementMs = undefined
    const { isLocal, ms } = (text === undefined ? undefined : statementTimeoutIn(text)) ?? {}
    if (isLocal === true) this.#localStatementMs = ms
    else if (ms !== undefined) this.#statementMs = ms
    return this.#answerWithinMs ?? (this.#localStatementMs ?? this.#statementMs) + marginMs
  }
}

/** The server is a replica. */
class NotPrimary extends Error {
  /** read_only_sql_transaction, the error of a write on a replica. */
  readonly code = '25006'

  constructor() {
    super('the server is a replica')
  }
}

function textOf(what: unknown): string | undefined {
  if (typeof what !== 'object' || what === null || 'submit' in what || !('text' in what)) return undefined
  return typeof what.text === 'string' ? what.text : undefined
}

const units = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 }

function statementTimeoutIn(text: string): { isLocal: boolean; ms: number } | undefined {
  const found = /^\s*set (local )?statement_timeout *= *'?(\d+) *(ms|s|min|h)?'?\s*$/i.exec(text)
  if (found === null) return undefined
  const [, local, number, unit = 'ms'] = found
  const ms = Number(number) * units[unit as keyof typeof units]
  return { isLocal: local !== undefined, ms: ms === 0 ? Infinity : ms }
}

/** Opens a connection to the first server that is usable for the purpose. */
export async function connect(connecting: Connecting): Promise<DatabaseClient> {
  for (let left = connecting.servers.urls.length - 1; ; left--) {
    const client = new DatabaseClient(connecting)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (left === 0) throw error
    }
  }
}
