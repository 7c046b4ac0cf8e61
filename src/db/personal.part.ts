/**
 * The personal data of customers. Each slice declares the parts that are in its tables: an export writes
 * them, and an erasure reports by them what it removes and what it keeps.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { personalPartNames } from '#contract/desk/choices'
import type { DB } from './schema.ts'

export interface PersonalPart {
  /** The name of its files in an export. */
  name: (typeof personalPartNames)[number]
  /** The tables that it accounts for. */
  tables: readonly (keyof DB)[]
  /**
   * What an erasure does to its rows. `anonymised`: the rows stay, without data that identifies the person.
   */
  atErasure: 'removed' | 'anonymised' | 'kept'
  /**
   * The rows of an account, without secrets and without other people's data. `page` is SQL that chooses and orders
   * those of one page from rows named `part`; a part with very many rows applies it where an index has its order.
   */
  rows: (accountId: bigint, page: RawBuilder<unknown>) => RawBuilder<unknown>
  /**
   * The columns that order the rows and together are unique, with their types in SQL. None of them is ever
   * null.
   */
  key: Readonly<Record<string, 'bigint' | 'integer' | 'text' | 'date' | 'timestamptz' | 'uuid'>>
}

export type PersonalRow = Record<string, unknown>

const pageRows = 1000

/**
 * The rows of a part, page by page. Each page is a query of its own: a client that reads slowly holds neither
 * a connection nor a snapshot.
 */
export async function* personalRows(
  db: Kysely<DB>,
  { rows, key }: PersonalPart,
  accountId: bigint,
): AsyncGenerator<PersonalRow[]> {
  const columns = Object.keys(key).map((column) => sql.ref(`part.${column}`))
  const order = sql.join(columns)
  // As text, which has the microseconds that a Date loses.
  const place = sql`array[${sql.join(columns.map((column) => sql`${column}::text`))}]`
  let after: string[] | null = null
  for (;;) {
    const behind: RawBuilder<unknown> =
      after === null
        ? sql`true`
        : sql`(${order}) > (${sql.join(
            Object.values(key).map((type, index) => sql`${after?.[index]}::${sql.raw(type)}`),
          )})`
    const ofPage = sql`where ${behind} order by ${order} limit ${pageRows}`
    const page: { rows: (PersonalRow & { '#place': string[] })[] } = await sql<
      PersonalRow & { '#place': string[] }
    >`
      select part.*, ${place} as "#place" from (${rows(accountId, ofPage)}) part ${ofPage}`.execute(db)
    if (page.rows.length > 0) yield page.rows.map(({ '#place': _place, ...row }) => row)
    if (page.rows.length < pageRows) return
    after = page.rows.at(-1)?.['#place'] ?? null
  }
}

/** The maximum that is counted: a larger number is of no use, and counting it takes seconds. */
export const mostCounted = 10_000

/** The number of rows of a part, at most `mostCounted`. */
export async function countPersonal(db: Kysely<DB>, part: PersonalPart, accountId: bigint): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from (
      select from (${part.rows(accountId, sql``)}) part limit ${mostCounted}) counted`.execute(db)
  return Number(rows[0]?.count ?? 0n)
}
