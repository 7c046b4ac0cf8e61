import { describe, expect, it } from 'vitest'
import { previousRows } from './previous-rows.ts'

const asked = (filters: object) => ({ queryKey: ['traffic_sums', 'pages', filters] })

describe('the rows of the previous filters', () => {
  it('stay while a period or a pool changes', () => {
    const keep = previousRows({ by: 'hour', from: '2026-08-01', pool: 'mobile' })
    expect(keep('rows', asked({ by: 'hour', from: '2026-07-01' }))).toBe('rows')
    expect(previousRows({ text: 'a' })('rows', asked({}))).toBe('rows')
  })

  it.each([
    [{ by: 'country' }, { by: 'hour' }],
    [
      { by: 'method', report: 'sales' },
      { by: 'method', report: 'usage' },
    ],
  ])('do not stay under %o when they were divided by %o', (now, before) => {
    expect(previousRows(now)('rows', asked(before))).toBeUndefined()
  })
})
