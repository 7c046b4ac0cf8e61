import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmail, isLongEnough } from './account-rules.ts'

describe('isLongEnough', () => {
  it.each([
    ['123456', false],
    ['1234567', true],
    [' 123456 ', false],
    ['', false],
    // Seven emoji are fourteen UTF-16 code units; three are six.
    ['😀😀😀😀😀😀😀', true],
    ['😀😀😀', false],
  ])('%j is %s', (text, expected) => expect(isLongEnough(text)).toBe(expected))

  it('does not count surrounding spaces', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('', ' ', '   ', '\t'), (text, spaces) => {
        expect(isLongEnough(spaces + text + spaces)).toBe(isLongEnough(text))
      }),
    )
  })
})

describe('isEmail', () => {
  it.each(['a@b.c', 'first.last+tag@mail.example.co.uk', 'почта@пример.рф'])('accepts %s', (text) =>
    expect(isEmail(text)).toBe(true),
  )

  it.each([
    'night',
    'night@example',
    '@example.com',
    'a@b@c.com',
    'ni ght@example.com',
    'a@.com',
    'a@b.',
    'a@b..c',
    'a\u0000b@example.com',
    'a\u200bb@example.com',
    `${'a'.repeat(250)}@b.c.d`,
  ])('rejects %j', (text) => expect(isEmail(text)).toBe(false))

  it('accepts any name at any domain of two labels or more', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
    const name = fc.stringMatching(/^[a-z0-9.+_-]{1,20}$/)
    fc.assert(
      fc.property(name, fc.array(label, { minLength: 2, maxLength: 5 }), (local, labels) => {
        expect(isEmail(`${local}@${labels.join('.')}`)).toBe(true)
        expect(isEmail(`${local}${labels.join('.')}`)).toBe(false)
        expect(isEmail(`${local}@${labels.join('')}`)).toBe(false)
      }),
    )
  })
})
