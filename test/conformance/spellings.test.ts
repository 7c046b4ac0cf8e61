import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic } from '../../src/gateway/testing/bench.ts'
import { type Outcome, probeAll } from './spellings.probe.ts'
import { spellings } from './spellings.ts'
import { startWay, type Way, wayNames } from './ways.ts'

describe.each(wayNames.filter((name) => name !== 'inside TLS'))('a request %s', (name) => {
  let way: Way
  let outcomes: Outcome[]
  beforeAll(async () => {
    way = await startWay(name)
    outcomes = await probeAll(way.port, basic(), spellings)
  }, 60_000)
  afterAll(() => way.close())

  it.each(spellings.map((spelling, index) => ({ ...spelling, index })))(
    'H73: with $name becomes $becomes',
    ({ becomes, index }) => {
      const { became, heard = [] } = outcomes[index] ?? {}
      expect(became).toBe(becomes)
      if (becomes === 400) expect(heard).toEqual([])
    },
  )
})
