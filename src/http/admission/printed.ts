/** Answers of the shop's calls as text. */
import * as z from 'zod'
import { contract, type JsonName, jsonOf } from '#contract/contract'
import { type Name, wire } from '#contract/wire'
import { longText } from '#db/call'
import { type Print, printInPieces } from './pieces.ts'

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

/** Removes what the caller may not see from a value of a schema, which may be the value of the given field. */
type Mask = (value: unknown, field: string | undefined, schema: z.ZodType) => unknown

const asItIs: Mask = (value) => value

/** The text of an answer. One that does not match the contract is our bug, and is not sent. */
export async function printed(
  name: Name,
  output: unknown,
  mask: Mask | null = null,
): Promise<string | Buffer> {
  if (output instanceof Buffer) return mask === null ? output : print(name, output.toString(), mask)
  if (mask !== null) return print(name, output, mask)
  if (typeof output !== 'object' || !Object.isFrozen(output) || output === null)
    return print(name, output, asItIs)
  const known = texts.get(output)
  if (known !== undefined) return known
  const text = print(name, output, asItIs)
  texts.set(output, text)
  return text
}

/** The JSON answer of a call of text. */
export const printedJson = (name: JsonName, output: unknown): string =>
  jsonWithTraffic(jsonOf[name].parse(output))

async function print(name: Name, output: unknown, mask: Mask): Promise<string> {
  const { output: schema } = contract[name]
  if (wire[name].answer === 'text') return schema.parse(mask(output, undefined, schema)) as string
  const json = withTraffic.has(name) ? jsonWithTraffic : JSON.stringify
  const text: Print = (of, value, field) => json(of.parse(mask(value, field, of)))
  return printInPieces(schema, output, text)
}

const jsonWithTraffic = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) =>
    typeof each === 'string' && trafficFields.has(key) ? (JSON as unknown as RawJson).rawJSON(each) : each,
  )

/**
 * A body as it is sent. A long string is converted first: a socket reserves three bytes per character of a
 * string, which takes milliseconds.
 */
export function bodyOf(text: string | Buffer): string | Buffer {
  if (typeof text !== 'string' || text.length < longText) return text
  // Text of ASCII alone, as lines of proxies are, is copied in a third of the time that UTF-8 takes.
  const isAscii = Buffer.byteLength(text) === text.length
  return Buffer.from(text, isAscii ? 'latin1' : 'utf8')
}
