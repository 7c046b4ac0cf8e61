import { describe, expect, it } from 'vitest'
import { commonPrefixLength, lineText, newSessionId, sampleLine } from './sample-line.ts'
import { amountLabel, tariffs } from './tariffs.ts'

describe('the offers', () => {
  const offers = tariffs(4.5, [0.1, 0.2, 0.3, 0.4])

  it('are 1, 100, 300, 500 and 1000 GB, the first at the base price', () => {
    expect(offers.map(({ gb }) => gb)).toEqual([1, 100, 300, 500, 1000])
    expect(offers[0]).toMatchObject({ finalUsd: 4.5, perGbUsd: 4.5, discount: 0 })
  })

  it('have the discount of their amount', () => {
    expect(offers[1]).toMatchObject({ originalUsd: 450, finalUsd: 405 })
    expect(offers[4]).toMatchObject({ originalUsd: 4500, finalUsd: 2700 })
  })

  it('are at the base price where the discount is unknown', () => {
    expect(tariffs(2, [])[3]).toMatchObject({ finalUsd: 1000, discount: 0 })
  })

  it('are labelled 1 TB for 1000 GB', () => {
    expect(amountLabel(1000)).toEqual({ unit: 'tb', value: 1 })
    expect(amountLabel(500)).toEqual({ unit: 'gb', value: 500 })
  })
})

describe('the sample line', () => {
  const sample = {
    country: 'DE',
    session: 'sticky',
    sessionId: '8f3a2c',
    entryPoint: 'eu.example.net:20000',
  } as const

  it('follows the grammar of real lines', () => {
    expect(lineText(sampleLine(sample))).toBe(
      'tp4k2m9x-cc-de-sid-8f3a2c-ttl-10:Q7vR2mXe@eu.example.net:20000',
    )
  })

  it('omits what was not chosen', () => {
    const line = sampleLine({ ...sample, country: null, session: 'rotating' })
    expect(lineText(line)).toBe('tp4k2m9x:Q7vR2mXe@eu.example.net:20000')
    expect(line.map((part) => part.kind)).toEqual(['login', 'password', 'host'])
    expect(lineText(sampleLine({ ...sample, entryPoint: null }))).toBe(
      'tp4k2m9x-cc-de-sid-8f3a2c-ttl-10:Q7vR2mXe',
    )
  })

  it('has session ids of six hexadecimal digits', () => expect(newSessionId()).toMatch(/^[0-9a-f]{6}$/))

  it('is typed again from its first changed character', () => {
    expect(commonPrefixLength('tp-cc-de', 'tp-cc-us')).toBe(6)
    expect(commonPrefixLength('', 'tp')).toBe(0)
    expect(commonPrefixLength('tp', 'tp-cc')).toBe(2)
  })
})
