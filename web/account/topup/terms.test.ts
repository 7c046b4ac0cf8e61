// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { readTerms } from './terms.ts'

const typed = { pool: 'mobile', methodId: '7', below: '2,5', gb: ' 10 ', month: '150' } as const

describe('the form of automatic top-up', () => {
  it('parses GB and USD as typed', () => {
    expect(readTerms(typed)).toEqual({
      terms: {
        pool: 'mobile',
        method_id: '7',
        below_bytes: 2_500_000_000,
        gb: 10,
        month_usd: 150,
        consent: '',
      },
    })
  })

  it('names the fields that are wrong', () => {
    expect(readTerms({ ...typed, below: '0', gb: '1.5', month: 'x' })).toEqual({
      wrong: ['below', 'gb', 'month'],
    })
    expect(readTerms({ ...typed, gb: '2' })).toEqual({ wrong: ['gb'] })
    expect(readTerms({ ...typed, month: '1.234' })).toEqual({ wrong: ['month'] })
  })
})
