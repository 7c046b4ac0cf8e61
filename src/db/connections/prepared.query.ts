/**
 * A prepared statement of node-postgres that is described once for each connection: it is sent in one piece,
 * and its rows are read with the columns of the first execution. PostgreSQL refuses to execute a prepared
 * statement whose columns have changed, so the columns that are kept are never wrong.
 */
import pg from 'pg'

/** What a statement uses of node-postgres' connection, which its types leave out. */
interface Connection {
  parse: (message: object) => void
  bind: (message: object) => void
  execute: (message: object) => void
  describe: (message: object) => void
  close: (message: object) => void
  _send: (bytes: Buffer) => void
}

/** How node-postgres reads the rows of a result. */
interface Reading {
  fields: unknown
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}

/** What this class uses of node-postgres' query, which its types leave out. */
interface BaseQuery {
  prepare(connection: Connection): void
  handleCommandComplete(message: object, connection: Connection): void
  _result: Reading
  _accumulateRows: boolean
}

export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

type Done = (error: Error | null, result: pg.QueryResult) => void

const Base = pg.Query as unknown as new (
  statement: NamedStatement,
  values: undefined,
  done: Done,
) => BaseQuery

/** A connection whose messages are gathered, and how the rows of its statements are read, by their names. */
interface Outbox {
  connection: Connection
  messages: Buffer[]
  isDescribed: boolean
  readings: Map<string, Reading>
}

const outboxes = new WeakMap<Connection, Outbox>()

function outboxOf(connection: Connection): Outbox {
  const known = outboxes.get(connection)
  if (known !== undefined) return known
  const messages: Buffer[] = []
  const outbox: Outbox = { connection, messages, isDescribed: false, readings: new Map() }
  outbox.connection = Object.assign(Object.create(connection) as Connection, {
    _send: (bytes: Buffer) => void messages.push(bytes),
    describe: (message: object) => {
      if (!outbox.isDescribed) connection.describe.call(outbox.connection, message)
    },
    // After values that cannot be sent the statement stays prepared.
    close: () => undefined,
  })
  outboxes.set(connection, outbox)
  return outbox
}

/** Whether the connection has executed the statement, and knows its columns. */
export const isDescribed = (connection: unknown, { name }: NamedStatement): boolean =>
  outboxes.get(connection as Connection)?.readings.has(name) === true

export class PreparedQuery extends Base {
  readonly #name: string
  /** The statement that begins the transaction, until it is executed. */
  #begin: string | null

  /**
   * With `begin` the statement is the first one of a transaction, sent in one piece with the one that begins
   * it; the connection must have executed the statement before (`isDescribed`). When either fails, PostgreSQL
   * skips what follows.
   */
  constructor(statement: NamedStatement, done: Done, begin: string | null = null) {
    super(statement, undefined, done)
    this.#name = statement.name
    this.#begin = begin
  }

  override prepare(connection: Connection): void {
    const outbox = outboxOf(connection)
    if (this.#begin !== null) {
      outbox.connection.parse({ name: '', text: this.#begin })
      outbox.connection.bind({ portal: '', statement: '' })
      outbox.connection.execute({ portal: '' })
    }
    const known = outbox.readings.get(this.#name)
    outbox.isDescribed = known !== undefined
    super.prepare(outbox.connection)
    if (known !== undefined) {
      Object.assign(this._result, known)
      this._accumulateRows = true
    }
    const bytes = Buffer.concat(outbox.messages)
    outbox.messages.length = 0
    connection._send(bytes)
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#begin !== null) {
      this.#begin = null
      return
    }
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    const { readings } = outboxOf(connection)
    if (!readings.has(this.#name)) readings.set(this.#name, { fields, _parsers, _prebuiltEmptyResultObject })
    super.handleCommandComplete(message, connection)
  }
}
