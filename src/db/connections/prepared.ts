/**
 * Statements that a connection parses once and then executes many times: those that are marked, and those
 * that this process has sent repeatedly. Parsing and planning a statement costs PostgreSQL more than
 * executing it, when it reads some rows by their keys.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { RecentMap } from '#lib/memo'

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

/** The names of the texts that are prepared. */
const names = new Map<string, string>()

/** How often other texts were sent. */
const sent = new RecentMap<string, { times: number }>(2000)

/** Longer texts are reports and imports. */
const longestChars = 10_000

/** A single statement that has a plan. */
const hasPlan = (text: string) =>
  text.length <= longestChars && /^\s*(select|insert|update|delete|with)\b/i.test(text) && !text.includes(';')

/** The name under which the text is prepared; undefined: it is not. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  return text.startsWith(mark) || (isRepeated(text) && names.size < mostNamed) ? named(text) : undefined
}

function named(text: string): string {
  // PostgreSQL's names of statements have at most 63 characters.
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return name
}

function isRepeated(text: string): boolean {
  const before = sent.get(text)
  if (before !== undefined) return ++before.times > repeatedly
  if (hasPlan(text)) sent.set(text, { times: 1 })
  return false
}

/** The arguments of a query, as a prepared statement where its text is marked, or was sent repeatedly. */
export function asPrepared(given: unknown[]): unknown[] {
  const [text, values] = given
  if (given.length !== 2 || typeof text !== 'string' || !Array.isArray(values)) return given
  const name = nameOf(text)
  return name === undefined ? given : [{ name, text, values }]
}
