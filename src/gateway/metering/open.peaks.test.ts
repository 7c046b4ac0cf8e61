import { expect, it } from 'vitest'
import { OpenPeaks } from './open.peaks.ts'

it('the gateway reports the most sessions of each account once a minute, those of forgotten leases too', () => {
  let now = 0
  const open = { access: 1n, holders: 2, peak: 5 }
  const leases = [open]
  const peaks = new OpenPeaks(
    () => leases,
    () => now,
  )
  peaks.ended({ access: 2n, holders: 0, peak: 4 })
  expect(peaks.take()).toEqual([])
  now = 60_000
  expect(peaks.take()).toEqual([
    { access: 2n, peak: 4 },
    { access: 1n, peak: 5 },
  ])
  now = 65_000
  expect(peaks.take()).toEqual([])
  now = 120_000
  expect(peaks.take()).toEqual([{ access: 1n, peak: 2 }])
})

it('the gateway reports a peak that could not be reported with the next minute, unless that minute had more', () => {
  let now = 0
  const open = { access: 1n, holders: 1, peak: 3 }
  const peaks = new OpenPeaks(
    () => [open],
    () => now,
  )
  now = 60_000
  peaks.giveBack(peaks.take())
  now = 120_000
  expect(peaks.take()).toEqual([{ access: 1n, peak: 3 }])
})
