import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesPerGb } from '#contract/wire'
import { least } from '#lib/bigint'
import { afterCancellation, afterPayment, refundOf, type Standing } from './payment.ts'

const invoice = fc.record({
  state: fc.constantFrom('pending' as const, 'expired' as const, 'cancelled' as const),
  gb: fc.bigInt({ min: 1n, max: 99_999_999n }),
  dueMicros: fc.bigInt({ min: 1n, max: 10n ** 10n }).map((cents) => cents * 10_000n),
  receivedMicros: fc.constant(0n),
  creditedBytes: fc.constant(0n),
  refundedMicros: fc.constant(0n),
  takenBackBytes: fc.constant(0n),
})
const payments = fc.array(fc.bigInt({ min: 1n, max: 10n ** 13n }), { minLength: 1, maxLength: 8 })
const percent = fc.bigInt({ min: 0n, max: 100n })

function run(start: Standing, received: bigint[]) {
  let end = start
  let credited = 0n
  let keptMicros = 0n
  for (const micros of received) {
    const step = afterPayment(end, micros)
    credited += step.creditBytes
    keptMicros = step.keptMicros
    end = { ...end, ...step }
  }
  return { end, credited, keptMicros }
}

const sum = (amounts: bigint[]) => amounts.reduce((total, micros) => total + micros, 0n)

describe('afterPayment', () => {
  it('credits the whole traffic once the whole price is paid, in any number of parts and any order', () => {
    fc.assert(
      fc.property(invoice, payments, (start, received) => {
        const total = sum(received)
        const { end, credited, keptMicros } = run(start, received)
        expect(end.receivedMicros).toBe(total)
        expect(end.creditedBytes).toBe(credited)
        expect(credited <= start.gb * bytesPerGb).toBe(true)
        expect(end.state).toBe(total >= start.dueMicros ? 'paid' : 'underpaid')
        expect(run(start, received.toReversed()).credited).toBe(credited)
        expect(keptMicros).toBe(least(total, start.dueMicros))
        if (total >= start.dueMicros) expect(credited).toBe(start.gb * bytesPerGb)
      }),
    )
  })

  it('credits at most the money’s worth while the price is not fully paid', () => {
    fc.assert(
      fc.property(invoice, fc.bigInt({ min: 1n, max: 10n ** 12n }), (start, micros) => {
        fc.pre(micros < start.dueMicros)
        const { creditBytes } = afterPayment(start, micros)
        expect(creditBytes * start.dueMicros <= start.gb * bytesPerGb * micros).toBe(true)
      }),
    )
  })

  it('credits half the traffic for half the money', () => {
    const start: Standing = {
      state: 'pending',
      gb: 10n,
      dueMicros: 35_000_000n,
      receivedMicros: 0n,
      creditedBytes: 0n,
      refundedMicros: 0n,
      takenBackBytes: 0n,
    }
    expect(afterPayment(start, 17_500_000n)).toMatchObject({
      state: 'underpaid',
      creditBytes: 5n * bytesPerGb,
    })
  })

  it('never credits a refunded customer more than the worth of the money kept', () => {
    fc.assert(
      fc.property(invoice, payments, percent, payments, (start, before, unused, after) => {
        const { end } = run(start, before)
        const takenBackBytes = (end.creditedBytes * unused) / 100n
        const refundedMicros = refundOf(end, { takenBytes: takenBackBytes, what: 'all' })
        const refunded: Standing = { ...end, state: 'refunded', refundedMicros, takenBackBytes }
        const late = run(refunded, after).end
        const held = late.creditedBytes - late.takenBackBytes
        const used = end.creditedBytes - takenBackBytes
        const worth = (start.gb * bytesPerGb * least(sum(after), start.dueMicros)) / start.dueMicros
        expect(late.state).toBe(refundedMicros === 0n ? late.state : 'partly_refunded')
        expect(held).toBe(worth > used ? worth : used)
      }),
    )
  })
})

describe('refundOf', () => {
  it('returns all, or all but the cost of the used traffic in whole cents, and never more', () => {
    fc.assert(
      fc.property(invoice, payments, percent, (start, received, unused) => {
        const { end } = run(start, received)
        const takenBytes = (end.creditedBytes * unused) / 100n
        expect(refundOf(end, { takenBytes, what: 'all' })).toBe(end.receivedMicros)
        const back = refundOf(end, { takenBytes, what: 'unused' })
        if (takenBytes === end.creditedBytes) expect(back).toBe(end.receivedMicros)
        else {
          const wholeBytes = end.gb * bytesPerGb
          const cost = (end.creditedBytes - takenBytes) * end.dueMicros
          expect(back % 10_000n).toBe(0n)
          expect(back).toBeGreaterThanOrEqual(0n)
          expect((end.receivedMicros - back) * wholeBytes).toBeGreaterThanOrEqual(cost)
          expect((end.receivedMicros - back - 10_000n) * wholeBytes).toBeLessThan(cost)
        }
      }),
    )
  })

  it('returns an overpayment in full', () => {
    const paid: Standing = {
      state: 'paid',
      gb: 10n,
      dueMicros: 10_000_000n,
      receivedMicros: 20_000_000n,
      creditedBytes: 10n * bytesPerGb,
      refundedMicros: 0n,
      takenBackBytes: 0n,
    }
    expect(refundOf(paid, { takenBytes: 4n * bytesPerGb, what: 'unused' })).toBe(14_000_000n)
  })
})

describe('afterCancellation', () => {
  it('ends an open invoice and changes no other', () => {
    expect(afterCancellation('pending')).toBe('cancelled')
    for (const state of ['paid', 'underpaid', 'expired', 'cancelled', 'refunded'] as const) {
      expect(afterCancellation(state)).toBe(state)
    }
  })
})
