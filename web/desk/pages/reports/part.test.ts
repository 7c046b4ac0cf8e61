import { describe, expect, it } from 'vitest'
import {
  marginDivisions,
  type ReportDivision,
  reportDivisions,
  type ReportName,
} from '#contract/desk/choices'
import { askedBy, marginDivisionOf, partOf, reportNames, timeName } from './part.ts'

const period = { from: '2026-10-15', until: '2026-11-23' }

it.each([
  ['sales', 'day', '2026-11-23', '/postings?report=sales&from=2026-11-23&until=2026-11-23'],
  ['sales', 'week', '2026-11-23', '/postings?report=sales&from=2026-11-23&until=2026-11-23'],
  ['refunds', 'week', '2026-11-02', '/postings?report=refunds&from=2026-11-02&until=2026-11-08'],
  ['sales', 'month', '2026-10-01', '/postings?report=sales&from=2026-10-15&until=2026-10-31'],
  ['referral', 'month', '2026-11-01', '/postings?report=referral&from=2026-11-01&until=2026-11-23'],
  ['sales', 'promo', '', '/postings?report=sales&from=2026-10-15&until=2026-11-23&promo=%28none%29'],
  ['sales', 'campaign', 'a b', '/postings?report=sales&from=2026-10-15&until=2026-11-23&campaign=a+b'],
  ['usage', 'day', '2026-11-01', '/reports?report=usage&from=2026-11-01&until=2026-11-01&by=pool'],
  ['usage', 'exit', '', '/reports?report=usage&from=2026-10-15&until=2026-11-23&by=pool&exit=0'],
  ['usage', 'campaign', '', null],
  ['usage', 'day', 'residential', null],
  ['sales', 'month', '', null],
  ['liability', 'week', '2026-11-16', null],
] as const)('a figure of %s by %s %s opens %s', (report, by, key, address) => {
  expect(partOf({ report, by, ...period }, key)).toBe(address)
})

/** The keys of the rows of each division. The test tries each key under every division. */
const keys: Record<string, string[]> = {
  day: ['2026-11-23', '2024-02-29'],
  week: ['2026-11-16'],
  month: ['2026-10-01', '2026-12-01'],
  pool: ['residential'],
  method: ['cryptobot', ''],
  campaign: ['a b', '', '2026-11', '2026-99-99'],
  promo: ['SPRING', '(none)'],
  exit: ['17', '0', ''],
  customer: ['1'],
  tier: ['0', '50000'],
}
const all = Object.values(keys).flat()
const periods: [string | null, string | null][] = [
  [null, null],
  ['2026-10-15', '2026-11-23'],
  ['2026-11-23', '2026-11-23'],
  ['2026-11-23', '2026-10-15'],
  ['2026-02-30', '2026-99-99'],
  ['', 'yesterday'],
  ['0000-00-00', '9999-12-31'],
]
const everyDivision = [...new Set([...Object.values(reportDivisions).flat(), ...marginDivisions])]
const today = '2026-11-27'

describe('each report, by each division and period, also those of another report', () => {
  const pairs = [...reportNames, 'margin', 'no_such'].flatMap((report) =>
    [...everyDivision, null, 'no_such'].map((by) => ({ report, by })),
  )
  it.each(pairs)('$report by $by', ({ report: name, by: given }) => {
    for (const [begin, end] of periods) {
      const search = new URLSearchParams({ report: name })
      for (const [field, value] of Object.entries({ by: given, from: begin, until: end }))
        if (value !== null) search.set(field, value)
      const asked = askedBy(search, today)
      const divisions: readonly ReportDivision[] = reportDivisions[asked.report]
      expect(divisions).toContain(asked.by)
      if (divisions.some((each) => each === given)) expect(asked.by).toBe(given)
      for (const day of [asked.from, asked.until]) expect(new Date(day).toJSON().slice(0, 10)).toBe(day)
      for (const by of [asked.by, marginDivisionOf(search)])
        for (const key of all)
          for (const language of ['ru', 'en'] as const) {
            const shown = timeName(by, key, language)
            expect(shown).not.toContain('Invalid')
            // Only a division by time formats keys that are days.
            expect(shown === key).toBe(!['day', 'week', 'month'].includes(by) || !isDay(key))
          }
      for (const key of all) {
        const address = partOf(asked, key)
        expect(address ?? '').not.toMatch(/NaN|Invalid/)
      }
    }
  })

  it.each([
    ['day', '2026-10-29'],
    ['week', '2026-10-29'],
    ['month', '2026-06-01'],
  ])('by %s begins on %s unless the address says otherwise', (by, from) => {
    const search = new URLSearchParams({ by })
    expect(askedBy(search, today)).toMatchObject({ by, from, until: today })
    search.set('from', '2026-11-05')
    expect(askedBy(search, today).from).toBe('2026-11-05')
  })

  it('covers every report', () => {
    expect(reportNames.toSorted()).toEqual((Object.keys(reportDivisions) as ReportName[]).toSorted())
  })
})

function isDay(key: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(key) && !Number.isNaN(Date.parse(key))
}
