import fc from 'fast-check'
import { expect, it } from 'vitest'
import { languages } from '#contract/language'
import { pools } from '#contract/wire'
import { secretsOf } from '#lib/secret'
import { orderFields, orderIn, type OrderRecord, printOrder, readOrder } from './order.record.ts'

const secrets = secretsOf('k'.repeat(32))

const text = fc.string({ unit: 'grapheme', maxLength: 64 })
const sum = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })
const ppm = fc.integer({ min: 0, max: 1_000_000 })
const moment = fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })
const price = fc.record({ currency: fc.constantFrom('USD', 'RUB'), micros: sum })
const rate = fc.record({ perUsdMicros: sum, setAt: moment })
const priced = fc.tuple(price, fc.option(rate)).map(([one, at]) => ({
  price: one,
  rate: at === null ? null : { currency: one.currency, ...at },
}))
const record: fc.Arbitrary<OrderRecord> = fc.record({
  invoice: text,
  method: text,
  account: fc.record({
    id: sum,
    username: fc.option(text),
    email: fc.option(fc.string({ unit: 'grapheme', maxLength: 320 })),
    createdAt: moment,
  }),
  pool: fc.constantFrom(...pools),
  gb: sum,
  perGbMicros: sum,
  volumeDiscountPpm: ppm,
  promoDiscountPpm: ppm,
  promocode: fc.option(text),
  costMicros: sum,
  fullCostMicros: sum,
  priced,
  language: fc.constantFrom(...languages),
  createdAt: moment,
  expiresAt: moment,
})

it('the record of an order is unchanged after it was written to and read from the fields of a processor', () => {
  fc.assert(
    fc.property(record, (one) => {
      const printed = printOrder(secrets, one)
      expect(printOrder(secrets, one)).toBe(printed)
      expect(printed).toMatch(/^[ -~]+$/)
      const fields = orderFields(printed)
      for (const [name, value] of Object.entries(fields)) {
        expect(name.length).toBeLessThanOrEqual(32)
        expect(value.length).toBeLessThanOrEqual(500)
      }
      expect(orderIn({ invoice: 'x', ...fields })).toBe(printed)
      expect(readOrder(secrets, printed)).toEqual({ isGenuine: true, record: one })
    }),
  )
})

it('the record of an order is not genuine when one character of it was changed, or under another key', () => {
  fc.assert(
    fc.property(record, fc.nat(), (one, place) => {
      const printed = printOrder(secrets, one)
      const at = place % printed.length
      const changed = `${printed.slice(0, at)}${printed[at] === '7' ? '8' : '7'}${printed.slice(at + 1)}`
      // The last base64url character of a signature has unused bits, so another character may decode to the
      // same bytes.
      if (at !== 42) expect(readOrder(secrets, changed)?.isGenuine ?? false).toBe(false)
      expect(readOrder(secretsOf('x'.repeat(32)), printed)?.isGenuine).toBe(false)
    }),
  )
})

it('the record of an order is null when the processor’s fields contain something else', () => {
  for (const other of ['', '17', '{}', `${'a'.repeat(43)} {}`, `${'a'.repeat(43)} {"invoice":1}`, 'null'])
    expect(readOrder(secrets, other)).toBeNull()
  expect(orderIn({ order: 17, orderId: 'x' })).toBeNull()
})
