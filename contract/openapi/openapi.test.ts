import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contract } from '../contract.ts'
import { descriptions } from './descriptions.ts'
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
    { headers: object; content: Record<string, { schema: z.core.JSONSchema.BaseSchema; example?: unknown }> }
  >
  'x-codeSamples': { lang: string; source: string }[]
}

const document = openApi({ origin: 'https://shop.example.net', brand: 'Turnpike', version: '1.0.0' }) as {
  paths: Record<string, Record<string, Operation>>
}
const names = Object.keys(wire) as Name[]
const operationOf = (name: Name) => {
  const found = document.paths[wire[name].path]?.[wire[name].method.toLowerCase()]
  if (found === undefined) throw new Error(`${name} is missing`)
  return found
}

/** Checks a value against a JSON schema of the document. Returns the fault, or null. */
const fault = (schema: z.core.JSONSchema.BaseSchema, value: unknown) =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).error?.message ?? null

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
    expect(references.includes('#/components/parameters/IdempotencyKey')).toBe(
      wire[name].effect === 'changes once',
    )
    expect('requestBody' in operation).toBe(wire[name].method === 'POST')
    for (const code of descriptions[name].refuses)
      expect(operation.responses[String(refusals[code].status)]).toBeDefined()
    if (wire[name].who !== 'anyone') expect(operation.responses['401']).toBeDefined()
    // The password proves no owner who has second factors.
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
