import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answerBoundsMs, answerClass, answerClasses, percentileMs } from './exit.answers.ts'

it('the histogram counts each time in the class of the next bound', () => {
  expect(answerClass(0)).toBe(0)
  for (const [index, bound] of answerBoundsMs.entries()) {
    expect(answerClass(bound)).toBe(index)
    expect(answerClass(bound + 0.001)).toBe(index + 1)
  }
  expect(answerClass(1e9)).toBe(answerClasses - 1)
})

it('the histogram returns a percentile in the class of the true one, and null without any times', () => {
  expect(percentileMs(Array<number>(answerClasses).fill(0), 0.5)).toBeNull()
  const times = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95), (all, share) => {
      const counts = Array<number>(answerClasses).fill(0)
      for (const ms of all) counts[answerClass(ms)] = (counts[answerClass(ms)] ?? 0) + 1
      const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? 0
      const told = percentileMs(counts, share) ?? -1
      expect(answerClass(told)).toBe(answerClass(exact))
    }),
  )
})
