import { expect, it } from 'vitest'
import { killApi } from './kills.ts'

const kills = 200

it(
  'P1: kill -9 of the api in the middle of purchases, which their callers repeat: nothing is lost, nothing is done twice',
  async () => {
    const told = await killApi(kills)
    expect(told).toMatchObject({ kills, lost: 0, extra: 0, wrong: [], findings: [] })
    expect(told.operations).toBeGreaterThanOrEqual(8 * kills)
  },
  600_000 + kills * 20_000,
)
