import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Expected, judge } from './judge.ts'
import type { Finding } from './method.ts'

const expected: Expected = {
  number: 'a1',
  externalId: 'x',
  price: { currency: 'RUB', micros: 3_237_500_000n },
  costMicros: 35_000_000n,
  receivedMicros: 0n,
}
const finding: Finding = {
  externalId: 'x',
  invoiceNumber: 'a1',
  status: 'received',
  price: expected.price,
  receivedMicros: 3_237_500_000n,
  isTest: false,
  isDisputed: false,
}

describe('judging the finding of a processor', () => {
  it('turns the whole price into the whole cost', () => {
    expect(judge(expected, finding)).toMatchObject({ outcome: 'received', receivedMicros: 35_000_000n })
  })

  it.each([
    [{ invoiceNumber: 'a2' }, 'another_invoice'],
    [{ invoiceNumber: null }, 'another_invoice'],
    [{ externalId: 'y' }, 'another_invoice'],
    [{ isTest: true }, 'test_mode'],
    [{ price: { currency: 'USD', micros: 3_237_500_000n } }, 'wrong_currency'],
    [{ price: { currency: 'RUB', micros: 3_237_510_000n } }, 'wrong_amount'],
    [{ status: 'waiting' }, 'waiting'],
    [{ receivedMicros: 0n }, 'known_payment'],
  ] as [Partial<Finding>, string][])('counts nothing for %o: %s', (change, verdict) => {
    expect(judge(expected, { ...finding, ...change })).toBe(verdict)
  })

  it('cancels nothing for a test payment or a wrong invoice', () => {
    expect(judge(expected, { ...finding, status: 'closed' })).toMatchObject({ outcome: 'cancelled' })
    expect(judge(expected, { ...finding, status: 'closed', isTest: true })).toBe('test_mode')
  })

  it('counts exactly the largest of the reported totals, in any order', () => {
    const sums = fc.array(fc.bigInt({ min: 0n, max: 10n ** 10n }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(sums, (totals) => {
        const price = { currency: 'USD', micros: 35_000_000n }
        let receivedMicros = 0n
        const ids = new Set<string>()
        for (const total of totals) {
          const judged = judge(
            { ...expected, price, receivedMicros },
            { ...finding, price, receivedMicros: total },
          )
          if (typeof judged === 'string') continue
          expect(ids.has(judged.externalPaymentId)).toBe(false)
          ids.add(judged.externalPaymentId)
          receivedMicros += judged.receivedMicros
        }
        expect(receivedMicros).toBe(totals.reduce((most, total) => (total > most ? total : most), 0n))
      }),
    )
  })
})
