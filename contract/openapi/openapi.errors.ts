/** The refusals of calls in the OpenAPI document: their codes, statuses and examples. */
import { onceOf } from '../call.ts'
import { contract } from '../contract.ts'
import type { Language } from '../language.ts'
import { isRefusalCode, type RefusalCode, refusals, sentence } from '../refusals.ts'
import { type Name, wire } from '../wire.ts'
import { descriptions } from './descriptions.ts'

type Json = Record<string, unknown>

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
    ...(onceOf(wire[name]) !== null
      ? ([
          'idempotency_key_reused',
          'idempotency_key_busy',
          'stored_answer_unreadable',
          'invalid_idempotency_key',
        ] as const)
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

const fieldsOf = (name: Name) => Object.keys((contract[name].input as { shape?: object }).shape ?? {})

/** The codes with which refusals of a call arrive. */
function codesOf(name: Name, refused: readonly RefusalCode[]): string[] {
  const ofFields = fieldsOf(name).map((field) => `invalid_${field}`)
  return [...new Set(refused.flatMap((code) => (code === 'invalid_field' ? ofFields : [code])))].toSorted()
}

/** Refusals of requests that reach no call. */
const beforeAnyCall = ['method_not_allowed', 'not_found', 'headers_too_large'] satisfies RefusalCode[]

/** All codes of the API. */
export const allCodes = (): string[] =>
  [
    ...new Set([
      ...(Object.keys(wire) as Name[]).flatMap((name) => codesOf(name, documentedRefusals(name))),
      ...beforeAnyCall,
    ]),
  ].toSorted()

/** The responses of a call's refusals, by their status. */
export function errorResponses(name: Name, language: Language): Json {
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
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Error' },
                { type: 'object', properties: { code: { type: 'string', enum: codesOf(name, codes) } } },
              ],
            },
            examples: Object.fromEntries(
              codes.map((code) => [code, { value: errorExample(name, code, language) }]),
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
  missing: '33.80',
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

function errorExample(name: Name, code: RefusalCode, language: Language): Json {
  if (code === 'invalid_field') {
    const [field = ''] = fieldsOf(name)
    const own = `invalid_${field}`
    return {
      code: own,
      message: sentence(isRefusalCode(own) ? own : code, language, { field }),
      details: { field },
    }
  }
  const used = Object.entries(facts).filter(([name]) => refusals[code].en.includes(`{${name}}`))
  const { details: others = {} } = refusals[code] as { details?: Json }
  const details = { ...Object.fromEntries(used), ...others }
  const hasDetails = Object.keys(details).length > 0
  return { code, message: sentence(code, language, details), ...(hasDetails ? { details } : {}) }
}
