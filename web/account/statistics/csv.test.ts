import { expect, it } from 'vitest'
import { usageCsv } from './csv.ts'
import { usageOf } from './usage.ts'

it('usageCsv has exact bytes, one row per day', () => {
  const usage = usageOf({
    usage: [
      { d_usage: '2026-11-19', traffic: 0, extra_traffic: 0, request: 0 },
      { d_usage: '2026-11-20', traffic: 2000, extra_traffic: 0.5, request: 12 },
    ],
    total: { traffic: 2000, extra_traffic: 0.5 },
  })
  expect(usageCsv(usage)).toBe(
    'date_utc,paid_bytes,bonus_bytes,total_bytes,requests\r\n' +
      '2026-11-19,0,0,0,0\r\n' +
      '2026-11-20,1500000000,500000000,2000000000,12\r\n',
  )
})
