/**
 * The OpenAPI document is as strict as the server, field by field: input that it forbids is refused, and
 * input that it allows is never refused for its form. Each call is made with the document's own example,
 * changed in one field at a time.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import { openApi } from '#contract/openapi/openapi'
import { canonicalIpv4 } from '#contract/ipv4'
import { type Name, pathOf, wire } from '#contract/wire'
import { isPublic, parseIp } from '#lib/ip'
import { type App, app, type Customer } from './app.ts'
import { alone } from './openapi.ts'
import { sized } from './size.ts'

type Schema = z.core.JSONSchema.BaseSchema
type Fields = Record<string, unknown>

interface Operation {
  parameters: { name?: string; in?: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}

const document = openApi({ origin: 'https://shop.example.net', brand: 'Turnpike', version: '1.0.0' }) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: object }
}
const names = Object.keys(wire) as Name[]

function operationOf(name: Name): Operation {
  const found = document.paths[wire[name].path]?.[wire[name].method.toLowerCase()]
  if (found === undefined) throw new Error(`${name} is missing`)
  return found
}

/**
 * All fields that a caller may send according to the document: those of the body, or of the query and the
 * path.
 */
function inputSchema(name: Name): Schema {
  const { parameters, requestBody } = operationOf(name)
  const given = parameters.flatMap(({ name: field, in: place, required, schema }) =>
    (place === 'path' || place === 'query') && field !== undefined && schema !== undefined
      ? [{ field, required: required === true, schema }]
      : [],
  )
  const body = requestBody?.content['application/json'].schema
  return {
    type: 'object',
    additionalProperties: body?.additionalProperties ?? false,
    properties: {
      ...body?.properties,
      ...Object.fromEntries(given.map(({ field, schema }) => [field, schema])),
    },
    required: [
      ...(body?.required ?? []),
      ...given.filter(({ required }) => required).map(({ field }) => field),
    ],
  } as Schema
}

const judgeOf = (schema: Schema) => {
  const judge = z.fromJSONSchema(alone(schema, document))
  return (value: unknown) => judge.safeParse(value).success
}

const missing = Symbol('missing')
const texts = ['', ' ', '0', '00', '7', ' 7 ', '-1', '1.5', '1e3', '10000', '10001', '99999999', '100000000']
const forms = [
  'true',
  'FALSE',
  'yes',
  '482913',
  '4829130',
  '203.0.113.7',
  '8.8.4.4',
  '256.1.1.1',
  '010.1.1.1',
  '1.2.3',
]
const people = ['sixsix', ' sixsix ', 'sevenly', 'with space', 'a@b', 'a@b.c', 'a@@b.c', 'a/b-c-d-e', '../..']
const long = [16, 17, 32, 64, 65, 200, 201, 254, 255, 256, 257, 320, 321, 1000, 1001].map((n) =>
  'x'.repeat(n),
)
const numbers = [-1, 0, 1, 1.5, 10_000, 10_001, 999_999, 1_000_000, 99_999_999, 100_000_000, 1e15, 1e15 + 2]
const lists = [
  [],
  [1],
  ['us'],
  [''],
  ['x'.repeat(65)],
  Array<string>(101).fill('us'),
  Array<string>(501).fill('us'),
]
const values = [missing, null, true, {}, ...texts, ...forms, ...people, ...long, ...numbers, ...lists]

/** The example of a call with one field changed, or one added. */
function* changed(name: Name): Generator<{ field: string; fields: Fields }> {
  const example = descriptions[name].input as Fields
  yield { field: 'colour', fields: { ...example, colour: 'red' } }
  for (const field of Object.keys(inputSchema(name).properties ?? {}))
    for (const value of values) {
      const { [field]: _left, ...others } = example
      yield { field, fields: value === missing ? others : { ...others, [field]: value } }
    }
}

const shown = (fields: Fields) => JSON.stringify(fields).slice(0, 200)

describe('the document and the contract', () => {
  it.each(names)('agree on the input of %s', (name) => {
    const allows = judgeOf(inputSchema(name))
    const laxer = [...changed(name)]
      .filter(({ fields }) => allows(fields) && !contract[name].input.safeParse(fields).success)
      .map(({ fields }) => shown(fields))
    expect(laxer).toEqual([])
  })

  it.each(names.filter((name) => wire[name].answer === 'json'))('agree on the answer of %s', (name) => {
    const schema = operationOf(name).responses['200']?.content['application/json']?.schema
    if (schema === undefined) throw new Error(`${name} has no answer`)
    const allows = judgeOf(schema)
    const example = descriptions[name].output as unknown
    expect(allows(example)).toBe(true)
    const [sample] = Array.isArray(example) ? (example as unknown[]) : [example]
    if (typeof sample !== 'object' || sample === null) return
    const answer = (part: unknown) => (Array.isArray(example) ? [part] : part)
    for (const field of Object.keys(sample)) {
      for (const value of [missing, null, true, -1, 1.5, 'text', [], {}]) {
        const { [field]: _left, ...others } = sample as Fields
        const given = answer(value === missing ? others : { ...others, [field]: value })
        // A very precise amount of traffic is text in memory and a number on the wire.
        if (['balance', 'traffic', 'extra_traffic', 'credited'].includes(field)) continue
        const verdicts = [allows(given), contract[name].output.safeParse(given).success]
        expect(verdicts[0], `${field}: ${shown({ value })}`).toBe(verdicts[1])
      }
    }
    expect(allows(answer({ ...sample, colour: 'red' }))).toBe(false)
  })
})

/**
 * Refusals for a reason other than the input's form: the shop has no such object, or checks more than a
 * pattern can express.
 */
const notOfForm = new Set([
  'invalid_payment_method',
  'invalid_credentials',
  'invalid_confirmation_token',
  'invalid_reset_token',
  'invalid_host_pattern',
  'invalid_undo_token',
  // A cursor that the previous page of a list returned.
  'invalid_after',
])

/** `invalid_ip` for an address of a special-purpose network, which a pattern cannot express. */
function isSpecialAddress(text: unknown): boolean {
  const ip = typeof text === 'string' ? parseIp(canonicalIpv4(text) ?? '') : null
  return ip !== null && !isPublic(ip)
}

describe('the document and the server', () => {
  let shop: App
  let customer: Customer
  beforeAll(async () => {
    // One customer makes all the calls: no rate limit may answer before the form is checked.
    shop = await app({ accountPace: { perSecond: 1e6, atOnce: 1e6 } })
    customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 1 })
  })
  afterAll(() => shop.close())

  let callers = 0
  async function ask(name: Name, fields: Fields): Promise<{ status: number; code: string | null }> {
    const { method, who } = wire[name]
    const { provider, ...rest } = fields
    const inPath = pathOf(name, typeof provider === 'string' ? provider : undefined)
    const query = new URLSearchParams(rest as Record<string, string>).toString()
    const path = method === 'GET' ? `${inPath}?${query}` : inPath
    const answer = await fetch(`${shop.origin}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        // Each from a separate network, so that no limit is reached.
        'x-forwarded-for': `198.${18 + ((callers >> 16) & 1)}.${(callers >> 8) & 255}.${callers++ & 255}`,
        ...(who === 'customer' ? { authorization: `Bearer ${customer.token}` } : {}),
      },
      ...(method === 'POST' ? { body: JSON.stringify(rest) } : {}),
    })
    const text = await answer.text()
    return { status: answer.status, code: answer.ok ? null : (JSON.parse(text) as { code: string }).code }
  }

  /** In a query and in a path all values are text, and no field can be present without a value. */
  const canBeSent = (name: Name, field: string, value: unknown) =>
    value === undefined || typeof value === 'string'
      ? field !== 'provider' || (value !== undefined && value !== '' && !value.includes('/'))
      : wire[name].method === 'POST' && field !== 'provider'

  /** Whether the field is needed depends on the account, not on the form: it may have no password. */
  const isOfAccount = (name: Name, field: string) =>
    field === 'old_password' || name === 'export_personal_data' || name === 'request_erasure'

  /**
   * Decides which inputs are sent to the server: its validation is the contract's. Of accepted inputs,
   * `npm test` sends the first value of each field and type and a quarter of the others, and
   * `npm run test:long` sends all.
   */
  function needsServer(name: Name) {
    const asked = new Set<string>()
    let accepted = names.indexOf(name)
    return (field: string, fields: Fields): boolean => {
      if (contract[name].input.safeParse(fields).success) {
        const first = `accepted ${field} ${typeof fields[field]}`
        return (!asked.has(first) && asked.add(first).size > 0) || accepted++ % sized(4, 1) === 0
      }
      // One refused value of each field and type shows that the call is validated at all.
      const kind = `${field} ${typeof fields[field]}`
      return !asked.has(kind) && asked.add(kind).size > 0
    }
  }

  it.each(names)('agree on %s', { timeout: 120_000 }, async (name) => {
    const allows = judgeOf(inputSchema(name))
    const isAsked = needsServer(name)
    const disagreements: string[] = []
    for (const { field, fields } of changed(name)) {
      if (!canBeSent(name, field, fields[field]) || !isAsked(field, fields)) continue
      // An account with many open invoices is refused another, whatever its form.
      if (name === 'create_invoice_web')
        await sql`update invoice set state = 'cancelled' where state = 'pending'`.execute(shop.database.db)
      const { status, code } = await ask(name, fields)
      const isOfForm =
        (code === `invalid_${field}` && !notOfForm.has(code) && !isSpecialAddress(fields[field])) ||
        (code === 'fill_fields' && !isOfAccount(name, field)) ||
        ['unknown_field', 'malformed_json', 'telegram_code_missing', 'telegram_code_invalid'].includes(
          code ?? '',
        )
      const agrees = allows(fields) ? !isOfForm : [400, 404, 422].includes(status)
      if (!agrees) disagreements.push(`${status} ${code} to ${shown(fields)}`)
    }
    expect(disagreements).toEqual([])
  })
})
