import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusalCodes } from '#contract/desk/choices'
import { gatewayAnswers, targetingKeys } from '#contract/openapi/gateway.answers'
import { parseUsername } from '#proxies/grammar'

const gateway = import.meta.dirname
const source = readdirSync(gateway, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'))
  .map((file) => readFileSync(path.join(gateway, file), 'utf8'))
  .join('\n')

describe('the answers of the gateway', () => {
  it('are all documented, each once', () => {
    expect(gatewayAnswers.flatMap(({ codes }) => codes).toSorted()).toEqual([...refusalCodes].toSorted())
  })

  it('have the status that the gateway gives them', () => {
    const given = [
      ...source.matchAll(/(?:refusal|refusalParts|targetFailure)\(\s*(\d{3}),\s*'([a-z_]+)'/g),
    ].map(([, status, code]) => [code, Number(status)])
    expect(given.length).toBeGreaterThan(30)
    const documented = new Map<string | undefined, number>(
      gatewayAnswers.flatMap(({ status, codes }) => codes.map((code) => [code, status] as const)),
    )
    for (const [code, status] of given) expect([code, documented.get(String(code))]).toEqual([code, status])
  })
})

describe('the keys of a user name', () => {
  it('are all documented, with examples that the gateway reads', () => {
    expect(() => parseUsername('tp4k2m9x-colour-red')).toThrow(
      `the keys are ${Object.keys(targetingKeys).join(', ')}`,
    )
    for (const example of Object.values(targetingKeys))
      expect(parseUsername(`tp4k2m9x-${example}`).login).toBe('tp4k2m9x')
  })
})
