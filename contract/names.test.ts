import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksLikeLink, unlinkedName } from './names.ts'

describe('a user name', () => {
  it.each([
    'https://evil.example',
    'HTTPevil',
    'hxxps-evil',
    'www.evil',
    'evil.com',
    'evil.COM',
    'free.money.xn--p1ai',
    'деньги.рф',
    'evil。com',
    'evil．com',
    'evil｡com',
    'evil․com',
    'evil.com.',
    'a.co/win',
    'a\\share',
    'tg:resolve',
    'mail＠evil',
    '<b>evil</b>',
    '10.20.30.40',
    'john.smith',
  ])('%s looks like a link', (name) => expect(looksLikeLink(name)).toBe(true))

  it.each([
    'nightshift',
    'night_shift-7',
    'version-1.2',
    'анна_смирнова',
    'wwwizard',
    '!!night!!',
    'a.b.c.d',
  ])('%s does not', (name) => expect(looksLikeLink(name)).toBe(false))

  it('is never printed as anything that looks like a link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(unlinkedName(name)).toMatch(/^[\p{L}\p{M}\p{N}_·-]*$/u)
        expect(unlinkedName(`${name}.com`)).not.toContain('.')
      }),
    )
  })
})
