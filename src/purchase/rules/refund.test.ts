import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FoundRefund } from '#payments'
import { feeByTerms } from '../invoices/fees.ts'
import { type Kept, ownOf, returnOf } from './refund.ts'

/** A paid invoice, in USD or in roubles at any rate. */
const invoices = fc
  .record({
    cents: fc.integer({ min: 1, max: 10_000_000 }),
    kopecks: fc.option(fc.integer({ min: 1, max: 1_000_000_000 })),
    gb: fc.bigInt({ min: 1n, max: 10n ** 5n }),
  })
  .map(({ cents, kopecks, gb }): Kept => {
    const costMicros = BigInt(cents) * 10_000n
    return {
      receivedMicros: costMicros,
      refundedMicros: 0n,
      gb,
      creditedBytes: gb * 10n ** 9n,
      takenBackBytes: 0n,
      costMicros,
      dueMicros: costMicros,
      price:
        kopecks === null
          ? { currency: 'USD', micros: costMicros }
          : { currency: 'RUB', micros: BigInt(kopecks) * 10_000n },
    }
  })

describe('refunds of one payment', () => {
  it('return all the money and all the traffic in the end, in any parts, and never more', () => {
    fc.assert(
      fc.property(
        invoices,
        fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 8 }),
        (invoice, parts) => {
          let [left, sum, bytes] = [invoice.price.micros, 0n, 0n]
          const take = (micros: bigint) => {
            const before = invoice.price.micros - left
            const now = { ...invoice, refundedMicros: sum, takenBackBytes: bytes }
            const { usdMicros, boughtBytes } = returnOf(now, micros, before)
            expect(usdMicros >= 0n && boughtBytes >= 0n).toBe(true)
            left -= micros
            sum += usdMicros
            bytes += boughtBytes
            expect(sum <= invoice.receivedMicros && bytes <= invoice.creditedBytes).toBe(true)
          }
          for (const percent of parts) {
            const micros = ((left * BigInt(percent)) / 100n / 10_000n) * 10_000n
            if (micros > 0n) take(micros)
          }
          if (left > 0n) take(left)
          expect([sum, bytes]).toEqual([invoice.receivedMicros, invoice.creditedBytes])
        },
      ),
    )
  })

  it('return the exact sum in USD', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000_000 }), (cents) => {
        const costMicros = BigInt(cents) * 10_000n
        const price = { currency: 'USD', micros: costMicros }
        const kept = {
          receivedMicros: costMicros,
          refundedMicros: 0n,
          gb: 1n,
          creditedBytes: 10n ** 9n,
          takenBackBytes: 0n,
        }
        expect(returnOf({ ...kept, costMicros, dueMicros: costMicros, price }, 10_000n, 0n).usdMicros).toBe(
          10_000n,
        )
      }),
    )
  })

  it('take the traffic bought by kept money, also when money after a refund has bought more', () => {
    const price = { currency: 'USD', micros: 100_000_000n }
    const money = { gb: 10n, costMicros: 100_000_000n, dueMicros: 100_000_000n, price }
    // 40 USD were returned of 100, then 40 came again: 14 GB were credited, of which 4 were taken back.
    const invoice = {
      ...money,
      receivedMicros: 140_000_000n,
      refundedMicros: 40_000_000n,
      creditedBytes: 14n * 10n ** 9n,
      takenBackBytes: 4n * 10n ** 9n,
    }
    expect(returnOf(invoice, 50_000_000n, 40_000_000n)).toMatchObject({
      usdMicros: 50_000_000n,
      boughtBytes: 5n * 10n ** 9n,
    })
  })

  it('take no traffic for what was overpaid, and all of it when all is returned', () => {
    const micros = fc.bigInt({ min: 1n, max: 10n ** 12n })
    fc.assert(
      fc.property(invoices, micros, micros, (invoice, over, some) => {
        const receivedMicros = invoice.costMicros + over
        const usd = { ...invoice, receivedMicros, price: { currency: 'USD', micros: invoice.costMicros } }
        const part = some < over ? some : over
        expect(returnOf(usd, part, 0n)).toMatchObject({ usdMicros: part, boughtBytes: 0n })
        const after = { ...usd, refundedMicros: part }
        expect(returnOf(after, receivedMicros - part, part)).toMatchObject({
          boughtBytes: invoice.creditedBytes,
          isAll: true,
        })
      }),
    )
  })
})

describe('a refund of our own', () => {
  const price = { currency: 'USD', micros: 5_000_000n }
  const asked = { id: 1n, name: 'n1-aa', reference: 're_1', price, reportedMicros: 0n }
  const refund: FoundRefund = {
    refundId: 're_1',
    name: null,
    price,
    state: 'sent',
    madeAt: new Date(0),
    feeMicros: null,
  }
  const other = { ...refund, refundId: 're_2' }
  it('is recognised by its id, by the shop’s name for it, or by the number of the invoice', () => {
    expect(ownOf('n1', [asked], refund)).toBe(asked)
    expect(ownOf('n1', [asked], other)).toBe(null)
    expect(ownOf('n1', [asked], { ...other, name: 'n1-aa' })).toBe(asked)
    expect(ownOf('n1', [asked], { ...other, name: 'n1' })).toBe(asked)
    expect(ownOf('n1', [], { ...refund, name: 'n1' })).toBe(null)
  })
  it('is recognised by its name among several refunds of an invoice', () => {
    const second = { ...asked, id: 2n, name: 'n1-bb', reference: null }
    expect(ownOf('n1', [asked, second], { ...other, name: 'n1-bb' })).toBe(second)
    expect(ownOf('n1', [asked, second], { ...other, name: 'n1-cc' })).toBe(null)
  })
  it('is not recognised beyond the requested amount, or in another currency', () => {
    const whole = { ...asked, reportedMicros: 5_000_000n }
    expect(ownOf('n1', [whole], { ...other, name: 'n1-aa' })).toBe(null)
    expect(ownOf('n1', [asked], { ...refund, price: { ...price, currency: 'EUR' } })).toBe(null)
  })
})

it('the fee by terms is at most the payment, and grows with it', () => {
  const terms = { percentPpm: fc.integer({ min: 0, max: 1_000_000 }), fixedMicros: fc.bigInt(0n, 10n ** 8n) }
  fc.assert(
    fc.property(fc.record(terms), fc.bigInt(0n, 10n ** 12n), (one, paid) => {
      const fee = feeByTerms(one, paid)
      expect(fee >= 0n && fee <= paid && feeByTerms(one, paid + 1_000_000n) >= fee).toBe(true)
    }),
  )
  expect(feeByTerms({ percentPpm: 29_000, fixedMicros: 300_000n }, 35_000_000n)).toBe(1_315_000n)
})
