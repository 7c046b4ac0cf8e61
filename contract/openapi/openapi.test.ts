import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { onceOf } from '../call.ts'
import { contract } from '../contract.ts'
import { descriptions } from './descriptions.ts'
import { alone } from '#test/openapi'
import { openApi } from './openapi.ts'
import { refusals, sentence } from '../refusals.ts'
import { type Name, pathOf, wire } from '../wire.ts'

interface Operation {
  operationId: string
  security: object[]
  parameters: { name?: string; in?: string; $ref?: string; required?: boolean }[]
  requestBody?: {
    content: { 'application/json': { schema: z.core.JSONSchema.BaseSchema; example: unknown } }
  }
  responses: Record<
    string,
    {
      headers: object
      content: Record<
        string,
        {
          schema: z.core.JSONSchema.BaseSchema
          example?: unknown
          examples?: Record<string, { value: { code: string; details?: object } }>
        }
      >
    }
  >
  'x-codeSamples': { lang: string; source: string }[]
}

const document = openApi({ origin: 'https://shop.example.net', brand: 'Turnpike', version: '1.0.0' }) as {
  info: { version: string }
  'x-changes': { on: string; what: string[] }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { enum?: string[] }> }
}
const names = Object.keys(wire) as Name[]
const operationOf = (name: Name) => {
  const found = document.paths[wire[name].path]?.[wire[name].method.toLowerCase()]
  if (found === undefined) throw new Error(`${name} is missing`)
  return found
}

/** Checks a value against a JSON schema of the document. Returns the fault, or null. */
const fault = (schema: object, value: unknown) =>
  z.fromJSONSchema(alone(schema, document)).safeParse(value).error?.message ?? null

describe('the document', () => {
  it('is valid by the rules of @redocly/cli, without a warning', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-openapi-'))
    try {
      const file = path.join(folder, 'openapi.json')
      writeFileSync(file, JSON.stringify(document))
      const require = createRequire(import.meta.url)
      const redocly = path.join(path.dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [redocly, 'lint', file, '--format', 'json'],
        {
          cwd: folder,
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      )
      const report = JSON.parse(stdout) as { totals: object; problems: object[] }
      expect([report.problems, report.totals, stderr.includes('error')]).toEqual([
        [],
        { errors: 0, warnings: 0, ignored: 0 },
        false,
      ])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it.each(names)('describes the input of %s that the server accepts', (name) => {
    const operation = operationOf(name)
    expect(operation.operationId).toBe(name)
    const schemes = operation.security.flatMap((scheme) => Object.keys(scheme))
    const wanted = wire[name].who === 'anyone' ? [] : wire[name].token ? ['apiToken', 'session'] : ['session']
    expect(schemes).toEqual(wanted)
    const references = operation.parameters.map(({ $ref }) => $ref)
    expect(references.includes('#/components/parameters/IdempotencyKey')).toBe(onceOf(wire[name]) !== null)
    expect('requestBody' in operation).toBe(wire[name].method === 'POST')
    for (const code of descriptions[name].refuses)
      expect(operation.responses[String(refusals[code].status)]).toBeDefined()
    if (wire[name].who !== 'anyone') expect(operation.responses['401']).toBeDefined()
    // For an owner with second factors, the password alone is refused with `proof_needed`.
    const isRefusedUnproved = wire[name].proof !== 'none' || name === 'prove_owner'
    expect(descriptions[name].refuses.some((code) => code === 'proof_needed')).toBe(isRefusedUnproved)
    // For every method: a request may be invalid HTTP.
    expect(Object.keys(operation.responses)).toContain('400')
  })

  it.each(names)('has an example of %s that the contract accepts', (name) => {
    const { input, output } = descriptions[name]
    expect(contract[name].input.safeParse(input).error).toBeUndefined()
    if (wire[name].answer !== 'blob') expect(contract[name].output.safeParse(output).error).toBeUndefined()
    const { requestBody, responses } = operationOf(name)
    const body = requestBody?.content['application/json']
    if (body !== undefined) expect(fault(body.schema, body.example)).toBeNull()
    const json = responses['200']?.content['application/json']
    if (json !== undefined) expect(fault(json.schema, json.example)).toBeNull()
  })

  it('shows the details by which a program finds the proxy user that has a name', () => {
    const conflict = operationOf('create_proxy_user').responses['409']
    const examples = conflict?.content['application/json']?.examples ?? {}
    for (const code of ['user_label_taken', 'user_external_id_taken'])
      expect(Object.keys(examples[code]?.value.details ?? {})).toEqual(['number', 'login', 'label', 'pool'])
  })

  it('has a version with the day of its last change, and lists the changes, the newest first', () => {
    const { info, 'x-changes': changes } = document
    const days = changes.map(({ on }) => on)
    expect(info.version).toBe(`1.0.0+${days[0]}`)
    expect(days).toEqual([...new Set(days)].toSorted().toReversed())
    for (const { on, what } of changes) {
      expect(new Date(on).toISOString().slice(0, 10)).toBe(on)
      expect(what.length).toBeGreaterThan(0)
    }
  })

  it('names the schemas of answers, and refers to them', () => {
    const schemaOf = (name: Name) => operationOf(name).responses['200']?.content['application/json']?.schema
    for (const name of ['create_proxy_user', 'change_proxy_user', 'freeze_proxy_user'] as const)
      expect(schemaOf(name)).toEqual({ $ref: '#/components/schemas/ProxyUser' })
    expect(schemaOf('get_usage')).toEqual({ $ref: '#/components/schemas/Usage' })
    const known = Object.keys(document.components.schemas)
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)]
    expect(new Set(references.map(([, name]) => name))).toEqual(new Set(known))
    expect(known.length).toBeGreaterThan(30)
  })

  it('has the codes of refusals as enums: of all calls, and of each status of a call', () => {
    const all = new Set(document.components.schemas['ErrorCode']?.enum)
    expect([all.has('method_not_allowed'), all.has('invalid_pool'), all.has('invalid_label')]).toEqual([
      true,
      true,
      true,
    ])
    const conflict = operationOf('create_proxy_user').responses['409']?.content['application/json']
    expect(conflict?.schema.allOf?.[1]).toMatchObject({
      properties: { code: { enum: expect.arrayContaining(['user_label_taken', 'idempotency_key_busy']) } },
    })
    for (const name of names)
      for (const [status, { content }] of Object.entries(operationOf(name).responses)) {
        if (status === '200') continue
        const { schema = {}, examples = {} } = content['application/json'] ?? {}
        for (const { value } of Object.values(examples)) {
          expect(all.has(value.code), `${name}: ${value.code}`).toBe(true)
          expect(fault(schema, value), `${name}: ${value.code}`).toBeNull()
        }
      }
  })

  it('shows no sentence with an unfilled placeholder', () => {
    const messages = [...JSON.stringify(document.paths).matchAll(/"message":"([^"]*)"/g)].map(
      ([, text]) => text,
    )
    expect(messages.length).toBeGreaterThan(100)
    expect(messages.filter((text) => text?.includes('{'))).toEqual([])
    expect(messages).toContain(sentence('not_for_reseller_token', 'en'))
  })

  it.each(names)('shows %s in three languages', (name) => {
    const samples = operationOf(name)['x-codeSamples']
    expect(samples.map(({ lang }) => lang)).toEqual(['Shell', 'Python', 'TypeScript'])
    for (const { source } of samples) {
      expect(source).toContain(`https://shop.example.net${pathOf(name)}`)
      expect(source.includes('Authorization') || source.includes('authorization')).toBe(
        wire[name].who !== 'anyone',
      )
    }
  })
})
