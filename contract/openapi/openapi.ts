/**
 * The contract as an OpenAPI 3.1 document, generated from the schemas that parse every request and answer, so
 * that it cannot differ from what the server does.
 */
import * as z from 'zod'
import type { Call } from '../call.ts'
import { contract } from '../contract.ts'
import { components, introduction, words } from './openapi.parts.ts'
import { codeSamples } from './openapi.samples.ts'
import { type Description, tags } from '../docs.ts'
import { descriptions } from './descriptions.ts'
import type { Language } from '../language.ts'
import { isRefusalCode, type RefusalCode, refusals, sentence } from '../refusals.ts'
import { traffic } from '../schemas.ts'
import { type Name, wire } from '../wire.ts'

type Json = Record<string, unknown>

interface Site {
  /** The public address of the server, without a trailing slash. */
  origin: string
  brand: string
  version: string
  /** The language of its texts; English where none is named. */
  language?: Language
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output', language: Language): Json => {
  const made = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === (traffic as z.core.$ZodType)) asBareNumber(jsonSchema, language)
      nameEveryKey(jsonSchema)
    },
  }) as Json
  delete made['$schema']
  return made
}

/** Very exact numbers are strings in memory, but always bare numbers on the wire. */
function asBareNumber(schema: z.core.JSONSchema.BaseSchema, language: Language): void {
  delete schema.anyOf
  schema.type = 'number'
  schema.minimum = 0
  schema.description = words.traffic[language]
}

/** Lists the keys of a map with a fixed set of keys, such as the prices of the pools, as properties. */
function nameEveryKey(schema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames: keys, additionalProperties: value } = schema
  if (typeof keys !== 'object' || keys.enum === undefined || typeof value !== 'object') return
  schema.properties = Object.fromEntries(keys.enum.map((key) => [String(key), value]))
  schema.additionalProperties = false
  delete schema.propertyNames
}

/** Whether the call has a field that is refused as `invalid_<field>` and not with a code of its own. */
function refusesFields(name: Name): boolean {
  const [issue] = contract[name].input.safeParse({}).error?.issues ?? []
  return issue !== undefined && !isRefusalCode(issue.message)
}

/** The refusals that many calls share and that descriptions do not repeat. */
function sharedRefusals(name: Name): RefusalCode[] {
  const { method, who } = wire[name]
  return [
    // Input that is not valid HTTP, such as a header field with a line break.
    'malformed_request',
    ...(method === 'POST'
      ? (['malformed_json', 'request_timeout', 'body_too_large', 'unsupported_media_type'] as const)
      : []),
    'unknown_field',
    ...(refusesFields(name) ? (['invalid_field'] as const) : []),
    ...(who === 'anyone' ? [] : (['unauthorized'] as const)),
    'too_many_requests',
    ...(who !== 'customer' || wire[name].token ? [] : (['not_for_reseller_token'] as const)),
    ...(wire[name].effect === 'changes once'
      ? (['idempotency_key_reused', 'idempotency_key_busy', 'invalid_idempotency_key'] as const)
      : []),
    'internal_error',
    'temporarily_unavailable',
  ]
}

/** All documented refusals of a call. */
export function documentedRefusals(name: Name): RefusalCode[] {
  return [...descriptions[name].refuses, ...sharedRefusals(name)]
}

/** On the wire, `invalid_field` and `missing_field` are `invalid_<field>`. */
const wireCode = (code: RefusalCode) => (code === 'invalid_field' ? 'invalid_<field>' : code)

function errorResponses(name: Name, language: Language): Json {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of documentedRefusals(name)) {
    const { status } = refusals[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(
    statuses.map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${wireCode(code)}\``).join(', '),
        headers: {
          'x-request-id': { $ref: '#/components/headers/RequestId' },
          ...(status === 429 ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {}),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              codes.map((code) => [code, { value: errorExample(code, language) }]),
            ),
          },
        },
      },
    ]),
  )
}

/** Examples of the values of placeholders in sentences. */
const facts: Json = {
  field: 'colour',
  currency: 'GBP',
  seconds: 1,
  minutes: 12,
  least: 35,
  limit: 100,
  days: 1100,
  host: 'http://x',
  address: 'home',
  balance: '1.20',
  cost: '35.00',
  names: 'us_atlantis',
  unkept: 0,
  until: '2026-11-23 12:00 UTC',
  network: 'USDT (TRC-20)',
  free: '1200',
  most: '100000',
  left: '2500',
  provider: 'nobody',
  request_id: '0d9c8a52-6a8e-4c0b-9a6e-2f0f3f1c7b11',
}

function errorExample(code: RefusalCode, language: Language): Json {
  if (code === 'invalid_field')
    return { code: 'invalid_pool', message: refusals.invalid_pool[language], details: { field: 'pool' } }
  const used = Object.entries(facts).filter(([name]) => refusals[code].en.includes(`{${name}}`))
  const details = Object.fromEntries(used)
  return { code, message: sentence(code, language, details), ...(used.length > 0 ? { details } : {}) }
}

function answer(name: Name, language: Language): Json {
  const kind = wire[name].answer
  /** Of the caller alone: no cache validates it. */
  const isFile = name === 'invoice_document'
  const { output } = descriptions[name] as Description<(typeof contract)[Name]>
  const content =
    kind === 'blob'
      ? { [isFile ? 'application/pdf' : 'image/*']: { schema: { type: 'string', format: 'binary' } } }
      : kind === 'text'
        ? { 'text/plain': { schema: { type: 'string' }, example: output } }
        : {
            'application/json': {
              schema: schemaOf(contract[name].output, 'output', language),
              example: output,
            },
          }
  return {
    description: words.done[language],
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(name === 'create_invoice_web'
        ? { 'x-invoice-id': { $ref: '#/components/headers/InvoiceId' } }
        : {}),
      ...(wire[name].who !== 'anyone' && wire[name].token ? rateLimitHeaders : {}),
      ...(kind === 'blob' && !isFile
        ? { etag: { description: words.etag[language], schema: { type: 'string' } } }
        : {}),
    },
    content,
  }
}

const rateLimitHeaders = {
  'x-ratelimit-limit': { $ref: '#/components/headers/RateLimit' },
  'x-ratelimit-remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'x-ratelimit-reset': { $ref: '#/components/headers/RateLimitReset' },
}

function parametersOf(name: Name, fields: Json, required: readonly string[], language: Language): Json[] {
  const { method, path } = wire[name]
  const input = descriptions[name].input as Json
  const inPath = path.includes('{provider}')
    ? [
        {
          name: 'provider',
          in: 'path',
          required: true,
          description: words.provider[language],
          schema: fields['provider'],
          example: 'gateway',
        },
      ]
    : []
  const inQuery =
    method === 'POST'
      ? []
      : Object.entries(fields)
          .filter(([field]) => field !== 'provider')
          .map(([field, schema]) => ({
            name: field,
            in: 'query',
            required: required.includes(field),
            schema,
            example: input[field],
          }))
  return [
    ...inPath,
    ...inQuery,
    { $ref: '#/components/parameters/AcceptLanguage' },
    ...(wire[name].effect === 'changes once' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
}

function operation(name: Name, origin: string, language: Language): Json {
  const { method, who } = wire[name]
  const { tag, summary, about, input } = descriptions[name] as Description<(typeof contract)[Name]>
  const schema = schemaOf(contract[name].input, 'input', language) as {
    properties?: Json
    required?: string[]
  }
  const fields = schema.properties ?? {}
  const { provider: _provider, ...bodyFields } = fields
  const { provider: _given, ...example } = input as Json
  const required = (schema.required ?? []).filter((field) => field !== 'provider')
  const hasBody = method === 'POST'
  return {
    operationId: name,
    tags: [tags[tag].name[language]],
    summary: summary[language],
    ...(about === undefined ? {} : { description: about[language] }),
    security: securityOf(who, wire[name].token),
    parameters: parametersOf(name, fields, schema.required ?? [], language),
    ...(hasBody
      ? {
          requestBody: {
            required: Object.keys(bodyFields).length > 0,
            content: {
              'application/json': { schema: { ...schema, properties: bodyFields, required }, example },
            },
          },
        }
      : {}),
    responses: { '200': answer(name, language), ...errorResponses(name, language) },
    // The refusals of this call, without those that calls share.
    'x-refusals': descriptions[name].refuses,
    'x-codeSamples': codeSamples(name, input as Json, origin),
  }
}

/** An empty requirement makes the others optional (OpenAPI 3.1.1, Security Requirement Object). */
function securityOf(who: Call['who'], forResellers: boolean): Json[] {
  if (who === 'anyone') return []
  if (who === 'either') return [{}, { apiToken: [] }, { session: [] }]
  return forResellers ? [{ apiToken: [] }, { session: [] }] : [{ session: [] }]
}

/** The whole document, as a plain object ready for JSON. */
export function openApi({ origin, brand, version, language = 'en' }: Site): Json {
  const names = Object.keys(wire) as Name[]
  return {
    openapi: '3.1.1',
    info: {
      title: `${brand} API`,
      version,
      description: introduction[language],
      license: { name: words.license[language].replace('{brand}', () => brand), url: `${origin}/rules` },
    },
    servers: [{ url: `${origin}/api` }],
    tags: Object.values(tags).map(({ name, about }) => ({
      name: name[language],
      description: about[language],
    })),
    paths: Object.fromEntries(
      names
        .toSorted((a, b) => tagOrder(a) - tagOrder(b))
        .map((name) => [
          wire[name].path,
          { [wire[name].method.toLowerCase()]: operation(name, origin, language) },
        ]),
    ),
    components: components(language),
  }
}

const tagOrder = (name: Name) => Object.keys(tags).indexOf(descriptions[name].tag)
