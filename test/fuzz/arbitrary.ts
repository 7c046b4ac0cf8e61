/** Requests generated from the contract: valid input of a call, and input close to it. */
import fc from 'fast-check'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { type Name, pathOf, wire } from '#contract/wire'
import { anyJson, brokenBodies, naughtyText, naughtyTexts, strayName } from './naughty.ts'

/** A request; caller and address are added when it is sent. */
export interface Shot {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
  /** The token: the customer's, an invalid one, or none. */
  who: 'customer' | 'stale' | 'nobody'
  /** Invalid in any case, whatever the state of the shop. */
  mustFail: boolean
}

/** The part of JSON Schema that the contract produces. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

type Fields = Record<string, unknown>
/** Likely values by field name, so that some requests get past validation. */
export type Likely = Record<string, readonly unknown[]>

/** Any value that the schema accepts, or nearly: constraints missing from its JSON form are ignored. */
function valueOf(schema: Schema, field: string, likely: Likely): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, ...(likely[field] ?? []))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, field, likely)))
  switch (schema.type) {
    case 'object':
      return fieldsOf(schema, likely)
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, field, likely), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      })
    case 'string':
      return textOf(schema, likely[field]?.filter((value) => typeof value === 'string') ?? [])
    case 'number':
    case 'integer': {
      const least = Math.ceil(schema.minimum ?? -3)
      return fc.oneof(
        fc.integer({
          min: Math.min(least, 2 ** 31 - 1),
          max: Math.min(schema.maximum ?? 300, Math.max(300, least), 2 ** 31 - 1),
        }),
        fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true }),
        fc.constantFrom(1, schema.minimum ?? 0, schema.maximum ?? 2 ** 53),
      )
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return anyJson
  }
}

function textOf({ minLength = 0, maxLength = 200 }: Schema, likely: unknown[]): fc.Arbitrary<unknown> {
  const naughty = naughtyText.map((text) => text.slice(0, maxLength).padEnd(minLength, 'x'))
  if (likely.length === 0) return naughty
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...likely) }, { weight: 1, arbitrary: naughty })
}

function fieldsOf(schema: Schema, likely: Likely): fc.Arbitrary<Fields> {
  const properties = Object.entries(schema.properties ?? {})
  return fc.record(Object.fromEntries(properties.map(([name, one]) => [name, valueOf(one, name, likely)])), {
    requiredKeys: schema.required ?? [],
  })
}

/** The fields with one change: one is left out, added, or replaced. */
function changed(fields: Fields): fc.Arbitrary<Fields> {
  const names = Object.keys(fields)
  const added = fc.tuple(strayName, anyJson).map(([name, value]) => withField(fields, name, value))
  if (names.length === 0) return added
  const one = fc.constantFrom(...names)
  return fc.oneof(
    added,
    one.map((name) => without(fields, name)),
    fc.tuple(one, anyJson).map(([name, value]) => withField(fields, name, value)),
    one.map((name) => withField(fields, name, [fields[name]])),
  )
}

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name))

/** As JSON.parse creates them: `__proto__` is an ordinary field. */
function withField(fields: Fields, name: string, value: unknown): Fields {
  const copy = { ...fields }
  Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true })
  return copy
}

/** Fields of the call, valid or invalid, and whether the contract refuses them. */
function inputs(name: Name, likely: Likely): fc.Arbitrary<{ fields: Fields; isWrong: boolean }> {
  const schema = z.toJSONSchema(contract[name].input, { io: 'input' }) as Schema
  const right = fieldsOf(schema, likely)
  return fc
    .oneof({ weight: 1, arbitrary: right }, { weight: 1, arbitrary: right.chain(changed) })
    .map((fields) => ({ fields, isWrong: !contract[name].input.safeParse(fields).success }))
}

const languages = [
  'ru',
  'en',
  'en-GB,en;q=0.9',
  'de',
  '*',
  'en;q=banana, ru;q=0.1',
  ';;;,,,',
  'x'.repeat(500),
]

const oddHeaders: Record<string, string>[] = [
  { 'idempotency-key': 'key of the fuzz' },
  { 'idempotency-key': ' ' },
  { 'idempotency-key': 'ключ' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'x-forwarded-for': 'unknown, 1.2.3.4.5' },
  { 'x-forwarded-for': '2001:db8::7' },
  { 'if-none-match': '"x", W/"y", *' },
  { expect: '100-continue' },
  { origin: 'https://evil.example' },
  { 'transfer-encoding': 'chunked' },
  { cookie: '__proto__=1' },
]

/** Well-formed calls: any fields, valid and stale tokens, languages, unusual headers. */
export function calls(name: Name, likely: Likely): fc.Arbitrary<Shot> {
  const { method, who: allowed } = wire[name]
  return fc
    .record({
      input: inputs(name, likely),
      who: fc.oneof(
        { weight: 8, arbitrary: fc.constant('customer' as const) },
        { weight: 1, arbitrary: fc.constantFrom('stale' as const, 'nobody' as const) },
      ),
      language: fc.constantFrom(...languages),
      odd: fc.oneof(
        { weight: 4, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constantFrom(...oddHeaders) },
      ),
    })
    .map(({ input: { fields, isWrong }, who, language, odd }) => {
      const headers = { 'accept-language': language, ...odd }
      const shot = { ...shotOf(name, fields), headers, who }
      if (allowed === 'customer' && who !== 'customer') return { ...shot, mustFail: true }
      // In a query and in the path all values are text, so a wrong type may become a valid value.
      return { ...shot, mustFail: isWrong && method === 'POST' && !hasProvider(name) }
    })
}

const hasProvider = (name: Name) => 'provider' in contract[name].input.shape

function shotOf(name: Name, fields: Fields): Shot {
  const { method } = wire[name]
  const provider = hasProvider(name) ? fields['provider'] : undefined
  const rest = hasProvider(name) ? without(fields, 'provider') : fields
  const isPart = typeof provider === 'string' && provider !== ''
  const path = pathOf(name, isPart ? provider.toWellFormed() : undefined)
  const common = { method, headers: {}, who: 'customer' as const, mustFail: false }
  if (method === 'GET') return { ...common, path: withQuery(path, rest), body: null }
  return { ...common, path, body: JSON.stringify(rest) }
}

/**
 * Texts of the list in every field of the call, alone and as the only element of a list: one of `every`
 * texts, other ones in the next field.
 */
export function sweep(name: Name, likely: Likely, { seed, every }: { seed: number; every: number }): Shot[] {
  const schema = z.toJSONSchema(contract[name].input, { io: 'input' }) as Schema
  const right = fc.sample(fieldsOf(schema, likely), { seed, numRuns: naughtyTexts.length })
  return Object.entries(schema.properties ?? {}).flatMap(([field, one], place) =>
    naughtyTexts.flatMap((text, index) => {
      if ((index + place) % every !== 0) return []
      const isList = JSON.stringify(one).includes('"array"')
      return [shotOf(name, { ...right[index], [field]: isList ? [text] : text })]
    }),
  )
}

function withQuery(path: string, fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${encoded(name)}=${encoded(text)}`
  })
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Lone surrogates, which cannot be percent-encoded, become U+FFFD. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

const queries = [
  '?',
  '?%',
  '?%zz=1',
  '?a=%E0%A4%A',
  '?pool=mobile&pool=datacenter',
  '?a[b]=c',
  '?__proto__=1',
  `?${'a&'.repeat(3000)}`,
]
const mediaTypes = [
  'text/plain',
  'multipart/form-data',
  'application/xml',
  'application/x-www-form-urlencoded',
  'nonsense',
  '',
  '/',
  'application/jsonp',
]

/** Malformed requests: wrong methods, media types, bodies, paths and tokens. */
export function breaches(name: Name): fc.Arbitrary<Shot> {
  const { method, who } = wire[name]
  const path = pathOf(name)
  const right: Shot = {
    method,
    path,
    headers: {},
    body: method === 'POST' ? '{}' : null,
    who: 'customer',
    mustFail: true,
  }
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'].filter(
    (other) => other !== method,
  )
  const wrongMethod = fc.constantFrom(...methods).map((other): Shot => ({ ...right, method: other }))
  const wrongPath = fc
    .constantFrom('/', '%', '%2f..', ';a=b', '.json', '/../signin', '%00', '//', '\\')
    .map((end): Shot => ({ ...right, path: path + end }))
  const wrongQuery = fc
    .constantFrom(...queries)
    .map((end): Shot => ({ ...right, path: path + end, mustFail: false }))
  const wrongBody = fc.constantFrom(...brokenBodies).map((body): Shot => ({ ...right, body }))
  const wrongType = fc
    .constantFrom(...mediaTypes)
    .map((type): Shot => ({ ...right, headers: { 'content-type': type }, body: 'a=1' }))
  const wrongToken = fc
    .constantFrom(
      'Bearer',
      'Bearer  ',
      'Basic YTpi',
      'bearer x y',
      `Bearer ${'a'.repeat(43)}`,
      `Bearer tpr_${'a'.repeat(43)}`,
      `Bearer ${'x'.repeat(4000)}`,
      "Bearer ' or 1=1 --",
      'Bearer ../../x',
      'Bearer \u00ff',
    )
    .map((authorization): Shot => ({
      ...right,
      headers: { authorization },
      who: 'nobody',
      mustFail: who === 'customer',
    }))
  const always = [wrongMethod, wrongPath, wrongQuery, wrongToken]
  return fc
    .tuple(
      fc.oneof(...always, ...(method === 'POST' ? [wrongBody, wrongBody, wrongType] : [])),
      fc.constantFrom('ru', 'en'),
    )
    .map(([shot, language]) => ({ ...shot, headers: { 'accept-language': language, ...shot.headers } }))
}
