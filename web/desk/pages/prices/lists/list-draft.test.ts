import { describe, expect, it } from 'vitest'
import { emptyList, type ListDraft, listDraftOf, parseList } from './list-draft.ts'

const list = {
  name: 'Wholesale',
  prices: [
    { pool: 'residential' as const, per_gb_micros: '2500000' },
    { pool: 'mobile' as const, off_ppm: 125_000 },
  ],
  tiers: [{ from_gb: 100, discount_ppm: 50_000 }],
}
const draft = listDraftOf(list)
const withPrice = (text: string, kind: 'fixed' | 'off'): ListDraft => ({
  ...draft,
  prices: { ...draft.prices, datacenter: { kind, text } },
})

describe('parseList', () => {
  it('returns what a list was made of', () => {
    expect(parseList(draft)).toEqual(list)
    expect(parseList(listDraftOf({ ...list, tiers: [] }))?.tiers).toEqual([])
  })

  it('leaves out the pools and the discounts that are the shop’s', () => {
    const plain = { ...emptyList, name: ' Friends ' }
    expect(parseList(plain)).toEqual({ name: 'Friends', prices: [], tiers: null })
    expect(parseList({ ...draft, hasOwnTiers: false })?.tiers).toBeNull()
  })

  it.each([
    ['no name', { ...draft, name: ' ' }],
    ['an empty price', withPrice('', 'fixed')],
    ['a price of nothing', withPrice('0', 'fixed')],
    ['a whole price off', withPrice('100', 'off')],
    ['a discount that is no number', { ...draft, tiers: [{ key: 0, fromGb: '10', discount: 'much' }] }],
  ])('accepts no list with %s', (_name, wrong) => {
    expect(parseList(wrong)).toBeNull()
  })
})
