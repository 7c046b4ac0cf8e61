import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { gatewayAnswers, proxyCodes, proxyRefusals, socksReplies } from '#contract/gateway/refusals'
import { targetingKeys } from '#contract/openapi/targeting.keys'
import { parseUsername } from '#proxies/grammar'
import { refusalParts } from './responses/refusal.ts'

const gateway = import.meta.dirname
const source = readdirSync(gateway, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'))
  .map((file) => readFileSync(path.join(gateway, file), 'utf8'))
  .join('\n')

describe('the refusals of the gateway', () => {
  it('are each used in the code: the table has no unused entry', () => {
    expect(proxyCodes.filter((code) => !source.includes(`'${code}'`))).toEqual([])
  })

  it('are answered as the table and the documentation say', () => {
    const documented = gatewayAnswers.flatMap(({ status, codes }) => codes.map((code) => ({ status, code })))
    expect(documented.map(({ code }) => code).toSorted()).toEqual([...proxyCodes].toSorted())
    for (const { status, code } of documented) {
      const { error, reply } = proxyRefusals[code]
      expect(refusalParts(code, '')).toEqual({
        status,
        code,
        sentence: '',
        error,
        reply: socksReplies[reply],
      })
    }
    expect(gatewayAnswers.map(({ status }) => status)).toEqual([
      400, 402, 403, 405, 407, 408, 429, 500, 502, 503, 504,
    ])
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
