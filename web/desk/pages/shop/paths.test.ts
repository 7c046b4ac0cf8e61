import { describe, expect, it } from 'vitest'
import { moved, valueAt, withValueAt } from './paths.ts'

const whole = { ru: { rules: [{ text: 'a' }, { text: 'b' }] }, en: { rules: [] } }

describe('a value at a path', () => {
  it('is read and replaced in a copy', () => {
    expect(valueAt(whole, ['ru', 'rules', 1, 'text'])).toBe('b')
    expect(valueAt(whole, ['fr', 'rules', 0])).toBeUndefined()
    const changed = withValueAt(whole, ['ru', 'rules', 1, 'text'], 'c')
    expect(changed.ru.rules).toEqual([{ text: 'a' }, { text: 'c' }])
    expect(whole.ru.rules[1]).toEqual({ text: 'b' })
    expect(changed.en).toBe(whole.en)
  })

  it('creates missing objects on the path', () => {
    expect(withValueAt({}, ['card', 'ru'], 'x')).toEqual({ card: { ru: 'x' } })
  })
})

it('an item moves up and down a list', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
})
