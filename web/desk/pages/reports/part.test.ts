import { expect, it } from 'vitest'
import { partOf } from './part.ts'

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
