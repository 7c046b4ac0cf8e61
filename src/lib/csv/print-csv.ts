/** Rows as CSV (RFC 4180), one by one, safe to open in a spreadsheet. */

/**
 * The start of a formula for spreadsheets (OWASP ASVS 5.0, 1.2.10), also after blanks and in full-width
 * characters.
 */
const formula = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\0]/u
/**
 * The same after a separator within a text, where a spreadsheet may begin another cell: spreadsheets in many
 * languages expect semicolons between fields, ignore quotes then, and end a row at a line break. The sign is
 * optional, so that every separator matches and a long run of blanks is scanned only once.
 */
const within = /([;\t\r\n]\s*)([=+\-@＝＋－＠]?)/gu
const number = /^-?\d+(\.\d+)?$/

/** A field: quoted, and with an apostrophe before what would be a formula. Numbers stay numbers. */
export function csvField(value: unknown): string {
  const text = textOf(value)
    .replaceAll('\0', '')
    .replaceAll(within, (_all, blanks: string, sign: string) => (sign === '' ? blanks : `${blanks}'${sign}`))
  const safe = formula.test(textOf(value)) && !number.test(text) ? `'${text}` : text
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A value as a text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ')
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value as string | number | bigint | boolean)
}

/** The byte order mark tells Excel that the text is UTF-8. */
const mark = '\u{feff}'

/** The text of a list, page by page. */
export async function* csvOf(
  columns: readonly string[],
  pages: AsyncIterable<readonly Record<string, unknown>[]>,
): AsyncGenerator<string> {
  yield `${mark}${columns.map(csvField).join(',')}\r\n`
  for await (const rows of pages)
    yield rows.map((row) => `${columns.map((column) => csvField(row[column])).join(',')}\r\n`).join('')
}
