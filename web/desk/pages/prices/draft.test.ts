import { describe, expect, it } from 'vitest'
import { draftOf, parseDraft } from './draft.ts'

const prices = {
  prices: [{ pool: 'residential' as const, per_gb_micros: '2500000' }],
  tiers: [
    { from_gb: 1, discount_ppm: 0 },
    { from_gb: 100, discount_ppm: 125_000 },
  ],
}

describe('prices while they are edited', () => {
  it('are unchanged when nothing is typed', () => expect(parseDraft(draftOf(prices))).toEqual(prices))

  it('leave a pool without a price off sale', () => {
    const draft = draftOf(prices)
    const empty = parseDraft({ ...draft, prices: { ...draft.prices, residential: ' ' } })
    expect(empty?.prices).toEqual([])
  })

  it('are put in the order of their tiers', () => {
    const draft = draftOf(prices)
    expect(parseDraft({ ...draft, tiers: draft.tiers.toReversed() })?.tiers).toEqual(prices.tiers)
  })

  it.each([
    ['a word for a price', { prices: { ...draftOf(prices).prices, mobile: 'free' } }],
    ['a price of nothing', { prices: { ...draftOf(prices).prices, mobile: '0' } }],
    ['a tier without a number', { tiers: [{ key: 0, fromGb: '', discount: '5' }] }],
    ['a discount of everything', { tiers: [{ key: 0, fromGb: '5', discount: '100' }] }],
    [
      'two tiers from the same amount',
      {
        tiers: [
          { key: 0, fromGb: '5', discount: '1' },
          { key: 1, fromGb: '5', discount: '2' },
        ],
      },
    ],
  ])('are not sent with %s', (_, change) => expect(parseDraft({ ...draftOf(prices), ...change })).toBeNull())
})
