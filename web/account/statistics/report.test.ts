import { describe, expect, it } from 'vitest'
import { everyDay, presets, printOnly, reportCsv, reportIn } from './report.ts'

const now = Date.parse('2026-11-23T15:00:00Z')
const row = (rest: object) => ({
  kind: 'key' as const,
  key: '',
  target: null,
  label: null,
  charged_bytes: 1,
  bonus_bytes: null,
  requests: 2,
  refused: 3,
  ...rest,
})

describe('the report of an address', () => {
  it('is the last 30 days, or the period of the address', () => {
    expect(reportIn(new URLSearchParams(), now)).toEqual({
      from: '2026-10-25',
      to: '2026-11-23',
      by: 'day',
      pool: undefined,
      only: undefined,
    })
    const search = new URLSearchParams('from=2026-11-01&to=2026-11-02&by=host&pool=mobile')
    expect(reportIn(search, now)).toMatchObject({
      from: '2026-11-01',
      to: '2026-11-02',
      by: 'host',
      pool: 'mobile',
    })
    search.set('usage', 'all')
    search.set('only', printOnly({ part: 'host', key: 'a:b.example' }))
    expect(reportIn(search, now)).toMatchObject({
      by: 'day',
      pool: undefined,
      only: { part: 'host', key: 'a:b.example' },
    })
  })

  it('ignores invalid parameters', () => {
    const search = new URLSearchParams('from=2026-99-99&to=x&by=moon&only=moon:a')
    expect(reportIn(search, now)).toEqual(reportIn(new URLSearchParams(), now))
    expect(reportIn(new URLSearchParams('by=hour&from=1926-01-01'), now).by).toBe('day')
  })

  it('has periods of one click', () => {
    expect(presets(now)).toEqual({
      week: ['2026-11-17', '2026-11-23'],
      month: ['2026-10-25', '2026-11-23'],
      thisMonth: ['2026-11-01', '2026-11-23'],
      lastMonth: ['2026-10-01', '2026-10-31'],
    })
  })
})

describe('the rows of a report', () => {
  it('include every day of a short period', () => {
    const days = everyDay([row({ key: '2026-11-02' })], { from: '2026-11-01', to: '2026-11-03' })
    expect(days.map(({ key, charged_bytes: bytes }) => [key, bytes])).toEqual([
      ['2026-11-03', 0],
      ['2026-11-02', 1],
      ['2026-11-01', 0],
    ])
  })

  it('are not formulas in a spreadsheet', () => {
    const rows = [
      row({ target: '=HYPERLINK("x")' }),
      row({ target: '@a,b' }),
      row({ kind: 'difference', charged_bytes: -5 }),
    ]
    expect(reportCsv(rows, 'host').split('\r\n')).toEqual([
      'host,charged_bytes,bonus_bytes,requests,refused',
      `"'=HYPERLINK(""x"")",1,,2,3`,
      `"'@a,b",1,,2,3`,
      '(difference),-5,,2,3',
      '',
    ])
  })
})
