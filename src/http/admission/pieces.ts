/** Answers of unbounded length, made in pieces: other calls run between the pieces. */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'

/** The rows that are validated and serialised in one turn of the event loop: a few milliseconds. */
const rowsAtOnce = 250

/** Validates a value and serialises it. */
export type Print = (schema: z.ZodType, value: unknown, field?: string) => string

/** The text of an answer; a long list in it is printed in pieces. */
export async function printInPieces(schema: z.ZodType, output: unknown, print: Print): Promise<string> {
  if (rowsIn(output) <= rowsAtOnce) return print(schema, output)
  if (schema instanceof z.ZodArray) return printRows(schema, output as unknown[], print)
  if (schema instanceof z.ZodObject) return printFields(schema, output as Record<string, unknown>, print)
  return print(schema, output)
}

/** The rows in pieces, each made in a turn of the event loop of its own. */
export async function* inPieces<Row, Made>(
  rows: readonly Row[],
  make: (some: readonly Row[]) => Made,
): AsyncGenerator<Made> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    if (at > 0) await setImmediate()
    yield make(rows.slice(at, at + rowsAtOnce))
  }
}

async function printRows(
  schema: z.ZodType,
  rows: readonly unknown[],
  print: Print,
  field?: string,
): Promise<string> {
  const parts: string[] = []
  for await (const text of inPieces(rows, (some) => print(schema, some, field))) parts.push(text.slice(1, -1))
  return `[${parts.join(',')}]`
}

async function printFields(
  schema: z.ZodObject,
  output: Record<string, unknown>,
  print: Print,
): Promise<string> {
  const fields: string[] = []
  for (const [key, field] of Object.entries(schema.shape)) {
    const value = output[key]
    const isLong = Array.isArray(value) && value.length > rowsAtOnce && field instanceof z.ZodArray
    // As an object with one field, so that an undefined field is omitted, and an invalid one is named.
    const text = isLong
      ? `"${key}":${await printRows(field, value, print, key)}`
      : print(z.object({ [key]: field as z.ZodType }), { [key]: value }).slice(1, -1)
    if (text !== '') fields.push(text)
  }
  return `{${fields.join(',')}}`
}

/** The number of rows of an answer: the elements of its lists, or of the answer if it is a list itself. */
export function rowsIn(output: unknown): number {
  // Text as bytes has none, and may have a million of them.
  if (typeof output !== 'object' || output === null || output instanceof Buffer) return 0
  if (Array.isArray(output)) return output.length
  return Object.values(output).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0)
}
