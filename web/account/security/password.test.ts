import { describe, expect, it } from 'vitest'
import { errorOf, generatePassword } from './password.ts'

describe('errorOf', () => {
  it.each([
    [{ current: '', next: '', hasPassword: true }, 'fillFields'],
    [{ current: 'old one', next: '   ', hasPassword: true }, 'fillFields'],
    [{ current: '', next: 'long enough', hasPassword: true }, 'fillFields'],
    [{ current: 'old one', next: 'long enough', hasPassword: true }, null],
    [{ current: '', next: 'long enough', hasPassword: false }, null],
    [{ current: '', next: '', hasPassword: false }, 'fillFields'],
    [{ current: '', next: 'sixsix', hasPassword: false }, 'shortPassword'],
    [{ current: '', next: ' sixsix ', hasPassword: false }, 'shortPassword'],
    [{ current: '', next: 'sevenne', hasPassword: false }, null],
  ])('of %j is %s', (form, error) => expect(errorOf(form)).toBe(error))
})

describe('generatePassword', () => {
  it('returns twenty unambiguous characters, different every time', () => {
    const generated = Array.from({ length: 200 }, generatePassword)
    for (const each of generated)
      expect(each).toMatch(/^(?:[a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/)
    expect(new Set(generated).size).toBe(200)
  })
  it('returns a password that the form accepts', () => {
    expect(errorOf({ current: '', next: generatePassword(), hasPassword: false })).toBeNull()
  })
})
