import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAtlas } from './atlas.ts'
import { sentenceOf } from '#contract/desk/faults'
import { PlaceIds, slug } from './place-ids.ts'

const ids = new PlaceIds(await readAtlas())
const reasonOf = (found: ReturnType<PlaceIds['state']>) =>
  'fault' in found ? sentenceOf(found.fault, 'en') : found.id

describe('the id of a state', () => {
  it.each([
    ['us', 'CA', 'us_ca'],
    ['us', 'us_ca', 'us_ca'],
    ['us', 'US-CA', 'us_ca'],
    ['us', 'California', 'us_ca'],
    ['us', 'Калифорния', 'us_ca'],
    ['us', 'new  york', 'us_ny'],
    ['de', 'Baden-Württemberg', 'de_bw'],
    ['us', 'Somewhere Else', 'us_somewhereelse'],
    ['pl', 'Łódzkie', 'pl_lodzkie'],
  ])('in %s, %s is %s', (country, text, id) => {
    expect(ids.state(country, text)).toEqual({ id })
  })

  it.each([
    ['us', 'de_by', 'is not in the country “us”'],
    ['us', 'Нигде', 'no Latin letters'],
    ['us', '…', 'no Latin letters'],
    ['us', 'x'.repeat(33), 'too long'],
  ])('in %s, %s has none', (country, text, sentence) => {
    expect(reasonOf(ids.state(country, text))).toContain(sentence)
  })
})

describe('the id of a city', () => {
  it.each([
    ['us_ca', 'Los Angeles', 'us_ca_los_angeles'],
    ['us_ca', 'us_ca_los_angeles', 'us_ca_los_angeles'],
    ['us_ca', 'LOS ANGELES', 'us_ca_los_angeles'],
    ['us_ca', 'Лос-Анджелес', 'us_ca_los_angeles'],
    ['us_fl', 'St. Petersburg', 'us_fl_st_petersburg'],
    ['sg', 'Singapore', 'sg_singapore'],
    ['us', 'us_ca_los_angeles', 'us_ca_los_angeles'],
    ['no', 'Tromsø', 'no_tromso'],
    ['us_ca', 'Coeur d’Alene', 'us_ca_coeur_dalene'],
  ])('in %s, %s is %s', (parent, text, id) => {
    expect(ids.city(parent, text)).toEqual({ id })
  })

  it.each([
    ['us_ca', 'us_ny_albany', 'is not in “us_ca”'],
    ['us_ca', 'Глупов', 'no Latin letters'],
    ['us_ca', 'x'.repeat(62), 'too long'],
  ])('in %s, %s has none', (parent, text, sentence) => {
    expect(reasonOf(ids.city(parent, text))).toContain(sentence)
  })

  it('is valid in the grammar for any name, and idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const found = ids.city('us_ca', text)
        if ('fault' in found) return
        expect(found.id).toMatch(/^us_ca_[a-z0-9_]{1,58}$/)
        expect(ids.city('us_ca', found.id)).toEqual(found)
      }),
    )
  })
})

it('an id is not made from letters without a Latin form', () => {
  expect(slug('Île-de-France')).toBe('ile_de_france')
  expect(slug('Großenhain')).toBe('grossenhain')
  expect(slug('東京')).toBe('')
})
