import { describe, expect, it } from 'vitest'
import { search } from './search.ts'

const items = [
  { key: 'gb', label: 'Великобритания', code: 'gb' },
  { key: 'by', label: 'Беларусь', code: 'by' },
  { key: 'kg', label: 'Кыргызстан', code: 'kg' },
  { key: 'br', label: 'São Tomé', code: 'st' },
]
const found = (typed: string) => search(items, typed).map((item) => item.key)

describe('search', () => {
  it('finds everything when nothing is typed', () => {
    expect(found('  ')).toEqual(['gb', 'by', 'kg', 'br'])
  })
  it('puts what begins with the words first', () => {
    expect(found('бе')).toEqual(['by'])
    expect(found('б')).toEqual(['by', 'gb'])
  })
  it('finds by code', () => {
    expect(found('KG')).toEqual(['kg'])
  })
  it('looks through case and accents', () => {
    expect(found('sao tome')).toEqual(['br'])
  })
  it('takes ё and е for the same', () => {
    expect(search([{ key: 'o', label: 'Орёл' }], 'орел')).toHaveLength(1)
  })
})
