/**
 * Archives of closed months: the file is written, read back and compared before the month's entries are
 * deleted from the database.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Kysely, sql, type Transaction } from 'kysely'
import { to as copyTo } from 'pg-copy-streams'
import { allowLongStatements, type Database, type DB, limitLockWaits, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import type { Finding } from './finding.ts'
import { closeMonths, LedgerFault, makeLedgerMonths } from './months.ts'
import type { LedgerRows } from './rows.ts'
import { addUpPostings } from './sums.ts'
import { changedRows, monthText, type VerifiedMonth, verifiedMonths } from './verify.months.ts'

const format = 'turnpike ledger archive, version 1'
/** The last line of a complete archive. */
const endMark = 'end'

interface Header {
  format: string
  /** YYYY-MM. */
  month: string
  /** The month's digest in the chain of digests, hex. */
  chain: string
  /** Lines of each kind, in this order. */
  transactions: number
  entries: number
  usage: number
}

/**
 * Writes a closed month (YYYY-MM) to a gzipped file in a folder, reads the file back, and deletes the month's
 * entries from the database when the file is complete; returns the file's path. The sums by account and the
 * digest stay. Throws `LedgerFault`, with a sentence: the month is not over, not verified or archived
 * already, or the file exists.
 */
export async function archiveMonth(
  database: Pick<Database, 'db' | 'pool'>,
  { month: text, folder }: { month: string; folder: string },
): Promise<{ file: string; bytes: number }> {
  const { db } = database
  await makeLedgerMonths(db)
  await closeMonths(db)
  // Reports still need the month's sums after its entries are deleted.
  await addUpPostings(db)
  const month = (await verifiedMonths(db)).find((one) => monthText(one.month) === text)
  if (month === undefined)
    throw new LedgerFault(
      `${text} is not a closed month of the ledger: nothing was posted in it, or it is not over.`,
    )
  if (month.is_archived) throw new LedgerFault(`${text} is archived already.`)
  const file = path.join(folder, `turnpike-ledger-${text}.gz`)
  if (!existsSync(folder)) throw new LedgerFault(`There is no folder ${folder}.`)
  if (existsSync(file)) throw new LedgerFault(`${file} is there already.`)
  const part = `${file}.part`
  try {
    await writeArchive(database, month, part)
    const [wrong] = await verifyArchive(db, part)
    if (wrong !== undefined)
      throw new LedgerFault(`${text} stays where it is: ${wrong.subject}: ${wrong.detail}.`)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  const entry = await open(folder, 'r')
  await entry.sync()
  await entry.close()
  await transaction(db, async (tx) => {
    await limitLockWaits(tx)
    await sql`insert into ledger_month_archive (month, file) values (${month.month}::date, ${path.basename(file)})`.execute(
      tx,
    )
    for (const table of ['ledger_entry', 'ledger_usage'])
      await sql`drop table if exists ${sql.table(`${table}_${text.replace('-', '_')}`)}`.execute(tx)
  })
  return { file, bytes: (await stat(file)).size }
}

async function writeArchive(
  { pool }: Pick<Database, 'pool'>,
  month: VerifiedMonth,
  file: string,
): Promise<void> {
  const [first, after] = [`${month.month}`, `(date '${month.month}' + interval '1 month')`]
  const parts = [
    `select id, kind, reference, (extract(epoch from posted_at) * 1000000)::bigint,
       (extract(epoch from coalesce(value_at, posted_at)) * 1000000)::bigint
     from ledger_transaction where month = '${first}' order by id`,
    `select transaction_id, account_id, amount from ledger_entry where month = '${first}' order by transaction_id, account_id`,
    `select extract(epoch from hour)::bigint, account_id, bytes from ledger_usage
     where hour >= timestamp '${first}' at time zone 'UTC' and hour < ${after} at time zone 'UTC' order by hour, account_id`,
  ]
  const header: Header = {
    format,
    month: monthText(month.month),
    chain: month.chain.toString('hex'),
    transactions: Number(month.transaction_count),
    entries: Number(month.entry_count),
    usage: Number(month.usage_count),
  }
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local statement_timeout = 0')
    const lines = async function* () {
      yield `${JSON.stringify(header)}\n`
      for (const select of parts) yield* client.query(copyTo(`copy (${select}) to stdout`))
      yield `${endMark}\n`
    }
    await pipeline(lines, createGzip(), createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true }))
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/**
 * Verifies an archived month: its entries must be those that the month was closed with, and sum to zero.
 * Throws `LedgerFault` when the file is not an archive, is incomplete, or is not of a month that was closed
 * in this ledger.
 */
export async function verifyArchive(db: Kysely<DB>, file: string): Promise<Finding[]> {
  if (!existsSync(file)) throw new LedgerFault(`There is no file ${file}.`)
  return db.transaction().execute(async (tx) => {
    await allowLongStatements(tx)
    const header = await loadArchive(tx, file)
    const month = (await verifiedMonths(tx)).find((one) => monthText(one.month) === header.month)
    if (month === undefined)
      throw new LedgerFault(`${file} is of ${header.month}, which was not closed in this ledger.`)
    if (header.chain !== month.chain.toString('hex'))
      throw new LedgerFault(`${file} is of another ledger's ${header.month}.`)
    const rows: LedgerRows = {
      transactions: sql`archived_transaction`,
      entries: sql`archived_entry`,
      usage: sql`archived_usage`,
    }
    return changedRows(tx, month, rows)
  })
}

const rowsAtOnce = 20_000

/** Loads the file into temporary tables, which are dropped at the end of the transaction. */
async function loadArchive(tx: Transaction<DB>, file: string): Promise<Header> {
  for (const table of [
    sql`archived_transaction (id bigint, kind text, reference text, posted_at timestamptz, value_at timestamptz)`,
    sql`archived_entry (transaction_id bigint, account_id bigint, amount bigint)`,
    sql`archived_usage (hour timestamptz, account_id bigint, bytes bigint)`,
  ])
    await sql`create temporary table ${table} on commit drop`.execute(tx)
  const lines = linesOf(file)
  const next = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new LedgerFault(`${file} ends too early: it is not all of an archive.`)
    return value
  }
  try {
    const header = readHeader(await next())
    for (const [count, load] of [
      [header.transactions, loadTransactions],
      [header.entries, loadEntries],
      [header.usage, loadUsage],
    ] as const)
      for (let left = count; left > 0; left -= rowsAtOnce) {
        const rows: string[][] = []
        while (rows.length < Math.min(left, rowsAtOnce)) rows.push((await next()).split('\t'))
        await load(tx, rows)
      }
    if ((await next()) !== endMark) throw new LedgerFault(`${file} goes on where it should end.`)
    return header
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new LedgerFault(`${file} is no archive of the ledger (${error.message}).`)
  } finally {
    await lines.return(undefined)
  }
}

/** Whether the error is one that zlib, JSON or BigInt throws for a damaged or unrelated file. */
function isUnreadable(error: unknown): error is Error {
  return (
    error instanceof SyntaxError ||
    (error instanceof Error && 'code' in error && /^(Z_|EISDIR)/.test(String(error.code)))
  )
}

async function* linesOf(file: string): AsyncGenerator<string, undefined> {
  const source = createReadStream(file)
  const unzipped = createGunzip().setEncoding('utf8')
  source.on('error', (error) => unzipped.destroy(error))
  source.pipe(unzipped)
  let rest = ''
  try {
    for await (const chunk of unzipped) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    source.destroy()
    unzipped.destroy()
  }
  if (rest !== '') yield rest
  return undefined
}

function readHeader(line: string): Header {
  const said: unknown = JSON.parse(line)
  const header = (typeof said === 'object' && said !== null ? said : {}) as Partial<Header>
  const { month, chain, transactions, entries, usage } = header
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  if (header.format !== format || typeof month !== 'string' || typeof chain !== 'string')
    throw new SyntaxError('its first line says something else')
  if (!isCount(transactions) || !isCount(entries) || !isCount(usage))
    throw new SyntaxError('its first line counts nothing')
  return { format, month, chain, transactions, entries, usage }
}

/** The characters that COPY escapes in its text format, by the letter after the backslash. */
const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const unescaped = (text: string) =>
  text.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)

const numbers = (rows: readonly string[][], column: number) =>
  bigintArray(
    rows.map((row) => {
      const text = row[column]
      if (text === undefined) throw new SyntaxError('a line is too short')
      return BigInt(text)
    }),
  )

async function loadTransactions(tx: Transaction<DB>, rows: readonly string[][]): Promise<void> {
  const text = (column: number) => rows.map((row) => unescaped(row[column] ?? ''))
  await sql`
    insert into archived_transaction
    select id, kind, reference, to_timestamp(posted / 1000000) + (posted % 1000000) * interval '1 microsecond',
      to_timestamp(value / 1000000) + (value % 1000000) * interval '1 microsecond'
    from unnest(${numbers(rows, 0)}::bigint[], ${text(1)}::text[], ${text(2)}::text[], ${numbers(rows, 3)}::bigint[],
      ${numbers(rows, 4)}::bigint[]) as line(id, kind, reference, posted, value)`.execute(tx)
}

async function loadEntries(tx: Transaction<DB>, rows: readonly string[][]): Promise<void> {
  await sql`
    insert into archived_entry
    select * from unnest(${numbers(rows, 0)}::bigint[], ${numbers(rows, 1)}::bigint[], ${numbers(rows, 2)}::bigint[])`.execute(
    tx,
  )
}

async function loadUsage(tx: Transaction<DB>, rows: readonly string[][]): Promise<void> {
  await sql`
    insert into archived_usage
    select to_timestamp(hour), account_id, bytes
    from unnest(${numbers(rows, 0)}::bigint[], ${numbers(rows, 1)}::bigint[], ${numbers(rows, 2)}::bigint[])
      as line(hour, account_id, bytes)`.execute(tx)
}
