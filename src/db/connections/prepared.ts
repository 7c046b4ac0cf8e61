/** Statements that every connection parses once and then executes many times. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'

const mark = '/* prepared */'

/**
 * Marks SQL as prepared: sql`${prepared} update …`. For statements that run several times a second. The text
 * must be constant, because a connection keeps every text that it has prepared.
 */
export const prepared = sql.raw(mark)

const names = new Map<string, string>()

/** A short name for the text: PostgreSQL's names of statements have at most 63 characters. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return name
}

/** The arguments of a query, as a prepared statement where its text is marked as one. */
export function asPrepared(given: unknown[]): unknown[] {
  const [text, values] = given
  if (given.length !== 2 || typeof text !== 'string' || !text.startsWith(mark) || !Array.isArray(values))
    return given
  return [{ name: nameOf(text), text, values }]
}
