/** Texts that callers send: what a database can hold, and what may be a label. */
import * as z from 'zod'

/** Whether a database can hold it: without NUL and without half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** A date of a year that databases, calendars and workbooks have: all of them have those from 1900 to 2999. */
export const isOfOurTime = (text: string): boolean => text >= '1900' && text < '3000'

/**
 * One line of which every character shows: no control characters, no line separators, and none that turn the
 * direction of writing or have no width, with which one name is made to look like another.
 */
export const labelForm =
  // oxlint-disable-next-line no-control-regex -- It names them to refuse them.
  /^(?=.*\S)[^\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]*$/

/**
 * Fields whose texts the call itself judges, with an answer of its own. The server refuses other texts that
 * are not storable.
 */
export const judgedTexts = z.registry<{ judged: true }>()
export const judged = <Schema extends z.ZodType>(schema: Schema): Schema => {
  judgedTexts.add(schema, { judged: true })
  return schema
}
