import { expect, it } from 'vitest'
import { steadiness } from './steady.ts'

it('the steady state is reached a minute after the start, and a minute after an outage was last detected', () => {
  const database = { awaySeconds: 3 }
  let now = 1_000_000
  const isSteady = steadiness(database, () => now)
  const after = (ms: number) => {
    now += ms
    return isSteady()
  }
  expect([after(0), after(59_999), after(1)]).toEqual([false, false, true])
  database.awaySeconds = 723
  expect([after(0), after(59_999), after(1), after(600_000)]).toEqual([false, false, true, true])
})
