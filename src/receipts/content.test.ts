import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pools } from '#contract/wire'
import type { FiscalReceipt } from '#payments'
import { longestName, maxNameLength, partReceipt, type ReceiptSettings, saleReceipt } from './content.ts'

const settings: ReceiptSettings = {
  registrar: 'yookassa',
  vatCode: 11,
  taxSystemCode: null,
  subject: 'service',
  mode: 'full_prepayment',
  measure: 'gigabyte',
  itemName: 'Прокси-трафик, {pool}',
  closingDays: 0,
}

const rub = (kopecks: bigint) => ({ currency: 'RUB', micros: kopecks * 10_000n })

/** The total of a receipt computed from its printed numbers as a till does, in thousandths of a kopeck. */
function sumOf({ items }: FiscalReceipt): bigint {
  return items.reduce((sum, { quantity, amount }) => {
    const [whole = '', fraction = ''] = String(quantity).split('.')
    expect(fraction.length).toBeLessThanOrEqual(3)
    expect(amount.value).toMatch(/^(0\.\d[1-9]|0\.[1-9]\d|[1-9]\d*\.\d\d)$/)
    const thousandths = BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'))
    return sum + thousandths * BigInt(amount.value.replace('.', ''))
  }, 0n)
}

const goods = fc.record({
  pool: fc.constantFrom(...pools),
  gb: fc.oneof(fc.bigInt(1n, 200n), fc.bigInt(1n, 99_999_999n)),
  kopecks: fc.oneof(fc.bigInt(1n, 100_000n), fc.bigInt(1n, 10n ** 14n)),
})
const measures = fc.constantFrom('gigabyte' as const, 'piece' as const, 'none' as const)

describe('the items of a receipt', () => {
  it('add up to the amount, to the kopeck, and stay within the limits', () => {
    fc.assert(
      fc.property(goods, measures, ({ pool, gb, kopecks }, measure) => {
        const sale = saleReceipt({ pool, gb, price: rub(kopecks) }, { ...settings, measure }, 'a@b.c')
        expect(sumOf(sale)).toBe(kopecks * 1000n)
        for (const { quantity, description } of sale.items) {
          expect(quantity).toBeLessThanOrEqual(99_999.999)
          expect(description.length).toBeLessThanOrEqual(maxNameLength)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('add up to any part of the amount, for refunds and closing receipts', () => {
    const parts = goods.chain((sold) =>
      fc.record({ sold: fc.constant(sold), part: fc.bigInt(1n, sold.kopecks) }),
    )
    fc.assert(
      fc.property(parts, measures, ({ sold, part }, measure) => {
        const price = rub(sold.kopecks)
        const sale = saleReceipt({ ...sold, price }, { ...settings, measure }, 'a@b.c')
        const returned = partReceipt(sale, rub(part), 'full_payment')
        expect(sumOf(returned)).toBe(part * 1000n)
        expect(returned.customer).toEqual(sale.customer)
        expect(returned.items.map(({ payment_mode: mode }) => mode)).toEqual(['full_payment'])
      }),
      { numRuns: 2000 },
    )
  })

  it('are GB at the unit price, where that is whole kopecks', () => {
    const sale = saleReceipt({ pool: 'residential', gb: 10n, price: rub(323_750n) }, settings, 'a@b.c')
    expect(sale).toEqual({
      customer: { email: 'a@b.c' },
      items: [
        {
          description: 'Прокси-трафик, резидентский',
          quantity: 10,
          amount: { value: '323.75', currency: 'RUB' },
          vat_code: 11,
          payment_subject: 'service',
          payment_mode: 'full_prepayment',
          measure: 'gigabyte',
        },
      ],
    })
    expect(partReceipt(sale, rub(129_500n), 'full_prepayment').items[0]).toMatchObject({
      quantity: 4,
      amount: { value: '323.75' },
    })
  })

  it('are a single piece otherwise', () => {
    const sale = saleReceipt({ pool: 'mobile', gb: 3n, price: rub(100_00n) }, settings, 'a@b.c')
    expect(sale.items).toMatchObject([
      {
        description: 'Прокси-трафик, мобильный, 3 ГБ',
        quantity: 1,
        amount: { value: '100.00' },
        measure: 'piece',
      },
    ])
    expect(longestName(settings.itemName)).toBeLessThanOrEqual(maxNameLength)
  })

  it('contain the tax system for tills that require it, and no measure for FFD 1.05', () => {
    const external: ReceiptSettings = {
      ...settings,
      registrar: 'external',
      taxSystemCode: 2,
      measure: 'none',
    }
    const sale = saleReceipt({ pool: 'mobile', gb: 2n, price: rub(200n) }, external, 'a@b.c')
    expect(sale.tax_system_code).toBe(2)
    expect(sale.items[0]).not.toHaveProperty('measure')
  })
})
