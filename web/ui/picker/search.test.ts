import { describe, expect, it } from 'vitest'
import { search } from './search.ts'

const items = [
  { key: 'gb', label: 'Великобритания', code: 'gb' },
  { key: 'by', label: 'Беларусь', code: 'by' },
  { key: 'kg', label: 'Кыргызстан', code: 'kg' },
  { key: 'br', label: 'São Tomé', code: 'st' },
]
const found = (query: string) => search(items, query).map((item) => item.key)

describe('search', () => {
  it('finds all items by a blank query', () => {
    expect(found('  ')).toEqual(['gb', 'by', 'kg', 'br'])
  })
  it('puts items that begin with the query first', () => {
    expect(found('бе')).toEqual(['by'])
    expect(found('б')).toEqual(['by', 'gb'])
  })
  it('finds by code', () => {
    expect(found('KG')).toEqual(['kg'])
  })
  it('ignores case and accents', () => {
    expect(found('sao tome')).toEqual(['br'])
  })
  it('treats ё and е alike', () => {
    expect(search([{ key: 'o', label: 'Орёл' }], 'орел')).toHaveLength(1)
  })
})
