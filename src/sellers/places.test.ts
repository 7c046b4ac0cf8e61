import { describe, expect, it } from 'vitest'
import type { SellerPlace } from './adapters/adapter.ts'
import { hasShrunk, listOf } from './places.ts'

const place = (own: Partial<SellerPlace>): SellerPlace => ({
  pool: 'residential',
  country: 'de',
  state: null,
  city: null,
  zip: null,
  asn: null,
  count: 1,
  ...own,
})

describe('the list of a seller’s places', () => {
  const rowsOf = (places: readonly Partial<SellerPlace>[]) =>
    listOf(places.map(place)).csv.split('\n').slice(1, -1)

  it('has each place once, in an order that does not depend on the answer', () => {
    const places = [{ country: 'us', count: 3 }, { country: 'de' }, { country: 'us', count: 4 }]
    expect(rowsOf(places)).toEqual(['residential,de,,,,,1', 'residential,us,,,,,7'])
    expect(listOf(places.map(place)).sha256).toEqual(listOf(places.toReversed().map(place)).sha256)
  })

  it('leaves out places without addresses and unknown countries, and counts places without a number as one address', () => {
    expect(rowsOf([{ count: 0 }, { country: 'ZZ' }, { country: 'fr', count: null }])).toEqual([
      'residential,fr,,,,,1',
    ])
  })

  it('quotes texts that would end a cell, and uses the enclosing place for an invalid name', () => {
    expect(rowsOf([{ state: 'Land, "der" Berge' }])).toEqual(['residential,de,"Land, ""der"" Berge",,,,1'])
    expect(rowsOf([{ state: '東京', city: 'Berlin' }])).toEqual(['residential,de,,,,,1'])
    expect(rowsOf([{ state: 'Hesse', city: 'x'.repeat(61) }])).toEqual(['residential,de,Hesse,,,,1'])
  })

  it('has shrunk when half of its places or addresses are gone', () => {
    const of = (rows: bigint, addresses: bigint) => ({ rows, addresses })
    expect(hasShrunk(of(10n, 100n), of(6n, 51n))).toBe(false)
    expect(hasShrunk(of(10n, 100n), of(5n, 100n))).toBe(true)
    expect(hasShrunk(of(10n, 100n), of(10n, 50n))).toBe(true)
    expect(hasShrunk(of(11n, 100n), of(6n, 100n))).toBe(false)
  })
})
