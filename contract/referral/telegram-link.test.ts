import fc from 'fast-check'
import { expect, it } from 'vitest'
import { linkCodeIn, linkPayload } from './telegram-link.ts'

it('a linking code survives its payload', () => {
  fc.assert(
    fc.property(fc.string(), (code) => {
      expect(linkCodeIn(linkPayload(code))).toBe(code)
    }),
  )
})

it('a referral code is not a linking code', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f]{12}$/), (code) => {
      expect(linkCodeIn(code)).toBeNull()
    }),
  )
})
