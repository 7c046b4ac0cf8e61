/**
 * Statements that a connection parses once and then executes many times: those that are marked, and those
 * that this process has sent repeatedly. Parsing and planning a statement costs PostgreSQL more than
 * executing it, when it reads some rows by their keys.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { RecentMap } from '#lib/memo'
import type { NamedStatement } from './prepared.query.ts'

const mark = '/* prepared */'

/**
 * Marks SQL as prepared from its first execution on: sql`${prepared} update …`. For statements that run
 * several times a second. The text must be constant, because a connection keeps every text that it has
 * prepared.
 */
export const prepared = sql.raw(mark)

/** How often a text is sent before it is prepared: texts with lists of places or of columns seldom recur. */
const repeatedly = 10

/** A connection keeps up to some tens of kilobytes for each text, so no more than these are prepared. */
const mostNamed = 250

/** The texts that this process sends to a database. */
interface Texts {
  /** The names of those that are prepared. */
  names: Map<string, string>
  /** How often others were sent. */
  sent: RecentMap<string, { times: number }>
}

const textsOf = new Map<string, Texts>()

function textsTo(database: string): Texts {
  const known = textsOf.get(database)
  if (known !== undefined) return known
  const texts = { names: new Map<string, string>(), sent: new RecentMap<string, { times: number }>(2000) }
  textsOf.set(database, texts)
  return texts
}

/** Longer texts are reports and imports. */
const longestChars = 10_000

/** A single statement that has a plan. */
const hasPlan = (text: string) =>
  text.length <= longestChars && /^\s*(select|insert|update|delete|with)\b/i.test(text) && !text.includes(';')

/** The name under which the text is prepared; undefined: it is not. */
function nameOf(text: string, texts: Texts): string | undefined {
  const { names } = texts
  const known = names.get(text)
  if (known !== undefined) return known
  return text.startsWith(mark) || (isRepeated(text, texts) && names.size < mostNamed)
    ? named(text, texts)
    : undefined
}

function named(text: string, { names }: Texts): string {
  // PostgreSQL's names of statements have at most 63 characters.
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return name
}

function isRepeated(text: string, { sent }: Texts): boolean {
  const before = sent.get(text)
  if (before !== undefined) return ++before.times > repeatedly
  if (hasPlan(text)) sent.set(text, { times: 1 })
  return false
}

/** A query to a database as a prepared statement; null: its text is not marked and was not sent repeatedly. */
export function asPrepared(given: readonly unknown[], database: string): NamedStatement | null {
  const [text, values] = given
  if (given.length !== 2 || typeof text !== 'string' || !Array.isArray(values)) return null
  const name = nameOf(text, textsTo(database))
  return name === undefined ? null : { name, text, values }
}
