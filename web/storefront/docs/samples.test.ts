// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { descriptions } from '#contract/openapi/descriptions'
import { codeSamples } from '#contract/openapi/openapi.samples'
import { type Name, wire } from '#contract/wire'
import { takesToken, withToken } from './samples.ts'

const names = Object.keys(wire) as Name[]
const samplesOf = (name: Name) =>
  codeSamples(name, descriptions[name].input as Record<string, unknown>, 'https://shop.example.net')

describe('withToken', () => {
  it.each(names)('fills the token into all samples of %s that take one', (name) => {
    const takes = wire[name].who === 'customer' && wire[name].token
    for (const { source } of samplesOf(name)) {
      expect(takesToken(source)).toBe(takes)
      const filled = withToken(source, 'tpr_secret')
      expect(filled.includes('Bearer tpr_secret')).toBe(takes)
      expect(filled).not.toMatch(/API_TOKEN/)
      // The token stands in a header, never in an address.
      expect(filled).not.toMatch(/https?:\/\/\S*tpr_secret/)
      if (takes) expect(filled).not.toMatch(/import os$/m)
    }
  })

  it('leaves a sample as it is where there is no token', () => {
    for (const { source } of samplesOf('get_proxy')) expect(withToken(source, null)).toBe(source)
  })

  it('never fills in a session', () => {
    for (const { source } of samplesOf('signout'))
      expect(withToken(source, 'tpr_secret')).toContain('SESSION_TOKEN')
  })
})
