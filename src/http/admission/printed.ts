/**
 * Answers as text. What others decide the length of is printed in pieces, between which other calls go on.
 */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { type Name, wire } from '#contract/wire'

/** Fields whose values exceed a double's precision: they arrive as text and are sent as JSON numbers. */
const trafficFields = new Set(['balance', 'traffic', 'extra_traffic', 'credited'])

/** The calls with such a field in their answer. */
const withTraffic: ReadonlySet<string> = new Set(
  Object.entries(contract).flatMap(([name, { output }]) => {
    const schema = JSON.stringify(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }))
    return [...trafficFields].some((field) => schema.includes(`"${field}":`)) ? [name] : []
  }),
)

interface RawJson {
  rawJSON: (text: string) => unknown
}

/** The text of frozen answers: a long list that many callers request is validated and serialised once. */
const texts = new WeakMap<object, Promise<string>>()

/** Leaves out what the caller may not see of a value, which may be that of a field. */
type Mask = (value: unknown, field?: string) => unknown

const asItIs: Mask = (value) => value

/** The text of an answer. One that does not match the contract is our bug, and is not sent. */
export function printed(name: Name, output: unknown, mask: Mask | null = null): Promise<string> {
  if (mask !== null) return print(name, output, mask)
  if (typeof output !== 'object' || !Object.isFrozen(output) || output === null)
    return print(name, output, asItIs)
  const known = texts.get(output)
  if (known !== undefined) return known
  const text = print(name, output, asItIs)
  texts.set(output, text)
  return text
}

/** The rows that are validated and serialised in one turn of the event loop: a few milliseconds. */
const rowsAtOnce = 250

async function print(name: Name, output: unknown, mask: Mask): Promise<string> {
  const { output: schema } = contract[name]
  if (wire[name].answer === 'text') return schema.parse(mask(output)) as string
  const json = withTraffic.has(name) ? jsonWithTraffic : JSON.stringify
  const text: Print = (of, value, field) => json(of.parse(mask(value, field)))
  if (rowsIn(output) <= rowsAtOnce) return text(schema, output)
  if (schema instanceof z.ZodArray) return printRows(schema, output as unknown[], text)
  if (schema instanceof z.ZodObject) return printFields(schema, output as Record<string, unknown>, text)
  return text(schema, output)
}

/** Validates a value and serialises it. */
type Print = (schema: z.ZodType, value: unknown, field?: string) => string

const jsonWithTraffic = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) =>
    typeof each === 'string' && trafficFields.has(key) ? (JSON as unknown as RawJson).rawJSON(each) : each,
  )

async function printRows(
  schema: z.ZodType,
  rows: readonly unknown[],
  print: Print,
  field?: string,
): Promise<string> {
  const parts: string[] = []
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    if (at > 0) await setImmediate()
    parts.push(print(schema, rows.slice(at, at + rowsAtOnce), field).slice(1, -1))
  }
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
    // One field as an object, so that a field that is not there stays away, and a wrong one is named.
    const text = isLong
      ? `"${key}":${await printRows(field, value, print, key)}`
      : print(z.object({ [key]: field as z.ZodType }), { [key]: value }).slice(1, -1)
    if (text !== '') fields.push(text)
  }
  return `{${fields.join(',')}}`
}

/** The rows of an answer: the elements of it, or of its fields, that are lists. */
export function rowsIn(output: unknown): number {
  if (typeof output !== 'object' || output === null) return 0
  if (Array.isArray(output)) return output.length
  return Object.values(output).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0)
}

/**
 * Above this length a string is converted to a buffer first: a socket reserves three bytes per character of a
 * string, which takes milliseconds.
 */
const longText = 16_384
export const bodyOf = (text: string): string | Buffer => (text.length < longText ? text : Buffer.from(text))
