import { describe, expect, it } from 'vitest'
import { faultOf, makePassword } from './password.ts'

describe('faultOf', () => {
  it.each([
    [{ old: '', fresh: '', hasPassword: true }, 'fillFields'],
    [{ old: 'old one', fresh: '   ', hasPassword: true }, 'fillFields'],
    [{ old: '', fresh: 'long enough', hasPassword: true }, 'fillFields'],
    [{ old: 'old one', fresh: 'long enough', hasPassword: true }, null],
    [{ old: '', fresh: 'long enough', hasPassword: false }, null],
    [{ old: '', fresh: '', hasPassword: false }, 'fillFields'],
    [{ old: '', fresh: 'sixsix', hasPassword: false }, 'shortPassword'],
    [{ old: '', fresh: ' sixsix ', hasPassword: false }, 'shortPassword'],
    [{ old: '', fresh: 'sevenne', hasPassword: false }, null],
  ])('of %j is %s', (form, fault) => expect(faultOf(form)).toBe(fault))
})

describe('makePassword', () => {
  it('makes twenty characters that cannot be mistaken, never the same', () => {
    const made = Array.from({ length: 200 }, makePassword)
    for (const each of made) expect(each).toMatch(/^(?:[a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/)
    expect(new Set(made).size).toBe(200)
  })
  it('is good enough for itself', () => {
    expect(faultOf({ old: '', fresh: makePassword(), hasPassword: false })).toBeNull()
  })
})
