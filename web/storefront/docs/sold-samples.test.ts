import { expect, it } from 'vitest'
import { exampleWith, sampleWith } from './sold-samples.ts'

it('samples ask for a pool that is sold', () => {
  const source = `--json '{"pool": "residential", "to_pool":"mobile"}' /x?pool=datacenter {'pool': 'residential_premium'}`
  expect(sampleWith(['mobile'], source)).toBe(
    `--json '{"pool": "mobile", "to_pool":"mobile"}' /x?pool=mobile {'pool': 'mobile'}`,
  )
  expect(sampleWith([], source)).toBe(source)
})

it('answers name the pools on sale, except in an account, which has all four', () => {
  const account = { username: 'x', residential: { balance: 1 }, mobile: { balance: 0 } }
  const example = { prices: { residential: 3.5, mobile: 7 }, pool: 'residential', account }
  expect(exampleWith(['mobile'], example)).toEqual({ prices: { mobile: 7 }, pool: 'mobile', account })
  expect(exampleWith(['mobile'], { rows: [{ pool: 'residential' }, { pool: 'mobile' }] })).toEqual({
    rows: [{ pool: 'mobile' }],
  })
})
