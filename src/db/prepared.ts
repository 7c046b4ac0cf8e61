import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

const mark = '/* prepared */'

/**
 * Begins SQL that every connection parses and plans once and then runs again and again: sql`${prepared} update …`. Worth
 * it where something is done several times a second. Its text must be always the same, for a connection keeps every
 * one that it has seen.
 */
export const prepared = sql.raw(mark)

const names = new Map<string, string>()

/** PostgreSQL's names of statements are 63 characters at most. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return name
}

/** Sends marked SQL as a prepared statement. */
export class PreparingClient extends pg.Client {
  override query = ((...given: unknown[]): unknown => {
    const [text, values] = given
    if (given.length === 2 && typeof text === 'string' && text.startsWith(mark) && Array.isArray(values))
      return super.query({ name: nameOf(text), text, values })
    return super.query(...(given as Parameters<pg.Client['query']>))
  }) as pg.Client['query']
}
