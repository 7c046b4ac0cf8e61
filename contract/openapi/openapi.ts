/**
 * The contract as an OpenAPI 3.1 document, generated from the schemas that parse every request and answer, so
 * that it cannot differ from what the server does.
 */
import * as z from 'zod'
import { type Call, onceOf } from '../call.ts'
import { apiChanges } from './changes.ts'
import { contract, jsonOf } from '../contract.ts'
import { components, introduction, words } from './openapi.parts.ts'
import { codeSamples } from './openapi.samples.ts'
import { type Description, tags } from '../docs.ts'
import { descriptions } from './descriptions.ts'
import { schemaNames } from './names.ts'
import { allCodes, errorResponses } from './openapi.errors.ts'

import type { Language } from '../language.ts'
import { traffic } from '../schemas.ts'
import { type Name, wire } from '../wire.ts'

type Json = Record<string, unknown>

interface Site {
  /** The public address of the server, without a trailing slash. */
  origin: string
  brand: string
  version: string
  /** The language of the texts; default: English. */
  language?: Language
}

/** The schemas of the document by their names. */
type Components = Map<string, Json>

/** The schema of an input, without references to components. */
const inputOf = (schema: z.ZodType, language: Language): Json => made(schema, { io: 'input', language })

/** The schema of an output. Named schemas in it are added to the components, and it refers to them. */
function outputOf(schema: z.ZodType, language: Language, components: Components): Json {
  const { $defs = {}, ...rest } = made(schema, { io: 'output', language, metadata: schemaNames }) as {
    $defs?: Record<string, Json>
  } & Json
  for (const [name, part] of Object.entries($defs)) components.set(name, atComponents(part))
  return atComponents(rest)
}

/** Replaces a schema's references to definitions by references to components, and removes its own name. */
function atComponents({ id: _id, $id: _uri, ...schema }: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

function made(
  schema: z.ZodType,
  { language, ...options }: { io: 'input' | 'output'; language: Language; metadata?: typeof schemaNames },
): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    ...options,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The metadata of the schema itself, which zod omits when another registry is given.
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema))
      if (zodSchema === (traffic as z.core.$ZodType)) asBareNumber(jsonSchema, language)
      nameEveryKey(jsonSchema)
    },
  })
  return json
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

function answer(name: Name, language: Language, components: Components): Json {
  const kind = wire[name].answer
  /** A document for the caller alone: it has no validators for caches. */
  const isFile = name === 'invoice_document'
  const { output, json } = descriptions[name] as Description<(typeof contract)[Name]>
  const asJson = (schema: z.ZodType, example: unknown) => ({
    'application/json': { schema: outputOf(schema, language, components), example },
  })
  const content =
    kind === 'blob'
      ? { [isFile ? 'application/pdf' : 'image/*']: { schema: { type: 'string', format: 'binary' } } }
      : kind === 'text'
        ? {
            'text/plain': { schema: { type: 'string' }, example: output },
            ...(name in jsonOf ? asJson(jsonOf[name as keyof typeof jsonOf], json) : {}),
          }
        : asJson(contract[name].output, output)
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
  'ratelimit-policy': { $ref: '#/components/headers/RateLimitPolicies' },
  ratelimit: { $ref: '#/components/headers/RateLimitStates' },
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
    ...(onceOf(wire[name]) === null ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
  ]
}

function operation(
  name: Name,
  { origin, language, components }: { origin: string; language: Language; components: Components },
): Json {
  const { method, who } = wire[name]
  const { tag, summary, about, input } = descriptions[name] as Description<(typeof contract)[Name]>
  const schema = inputOf(contract[name].input, language) as {
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
    responses: { '200': answer(name, language, components), ...errorResponses(name, language) },
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
  const schemas: Components = new Map()
  const paths = Object.fromEntries(
    names
      .toSorted((a, b) => tagOrder(a) - tagOrder(b))
      .map((name) => [
        wire[name].path,
        {
          [wire[name].method.toLowerCase()]: operation(name, { origin, language, components: schemas }),
        },
      ]),
  )
  const shared = components(language, allCodes())
  const inOrder = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    openapi: '3.1.1',
    info: {
      title: `${brand} API`,
      // The version of the release, with the day of the API's last change as build metadata (SemVer).
      version: `${version}+${apiChanges[0].on}`,
      description: introduction[language],
      license: { name: words.license[language].replace('{brand}', () => brand), url: `${origin}/rules` },
    },
    servers: [{ url: `${origin}/api` }],
    tags: Object.values(tags).map(({ name, about }) => ({
      name: name[language],
      description: about[language],
    })),
    paths,
    'x-changes': apiChanges.map(({ on, what }) => ({ on, what: what.map((texts) => texts[language]) })),
    components: { ...shared, schemas: { ...shared.schemas, ...Object.fromEntries(inOrder) } },
  }
}

const tagOrder = (name: Name) => Object.keys(tags).indexOf(descriptions[name].tag)
