import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesFromWire, multiplierOf, payloadOf, trafficText, trafficToWire } from './traffic.ts'

const anyBytes = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 60n }),
  fc.bigInt({ min: 0n, max: 11_000_000_000n }),
  fc.bigInt({ min: 0n, max: 2_000n }).map((thousands) => thousands * 1_000_000n),
  fc.bigInt({ min: 0n, max: 20n }).map((gb) => gb * 1_000_000_000n),
)

/** The documented rule for reading the number, as a customer's program applies it. */
function readByRule(value: number): number {
  return value < 10 && !Number.isInteger(value) ? value * 1e9 : value * 1e6
}

describe('traffic on the wire', () => {
  it('is parsed back to the same bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(bytesFromWire(trafficToWire(bytes))).toBe(bytes)
      }),
      { numRuns: 3000 },
    )
  })

  it('survives JSON below 2^53 bytes, as a plain number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 52n }), (bytes) => {
        const sent: unknown = JSON.parse(JSON.stringify(trafficToWire(bytes)))
        expect(sent).toBeTypeOf('number')
        expect(bytesFromWire(sent as number)).toBe(bytes)
      }),
      { numRuns: 2000 },
    )
  })

  it('is read to the same amount by the documented rule', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const seen = readByRule(Number(trafficToWire(bytes)))
        expect(Math.abs(seen - Number(bytes))).toBeLessThanOrEqual(Math.max(0.5, Number(bytes) * 1e-15))
      }),
    )
  })

  it.each([
    [0n, 0],
    [1n, 1e-9],
    [5_300_000n, 0.0053],
    [12_500_000n, 0.0125],
    [1_000_000_000n, 1000],
    [5_000_000_000n, 5000],
    [9_500_000_000n, 9.5],
    [10_500_000_000n, 10_500],
    [12_345_600_000n, 12_345.6],
  ])('sends %s bytes as %s', (bytes, sent) => {
    expect(trafficToWire(bytes)).toBe(sent)
  })

  it('rejects negative amounts and NaN', () => {
    expect(() => trafficToWire(-1n)).toThrow(RangeError)
    expect(() => bytesFromWire(Number.NaN)).toThrow(RangeError)
    expect(() => bytesFromWire(-1)).toThrow(RangeError)
  })

  it.each([
    [0n, '0 GB'],
    [12_349_999_999n, '12.34 GB'],
    [812_500_000n, '812.50 MB'],
    [999_999_999n, '999.99 MB'],
    [1_000_000_000n, '1.00 GB'],
  ])('writes %s bytes as %s', (bytes, text) => {
    expect(trafficText(bytes)).toBe(text)
  })
})

describe('the tariff', () => {
  const none = { states: [], cities: [], zips: [], asns: [] }
  const lists = fc.record({
    states: fc.array(fc.string()),
    cities: fc.array(fc.string()),
    zips: fc.array(fc.string()),
    asns: fc.array(fc.nat()),
  })

  it('is single when nothing narrows the choice', () => expect(multiplierOf(none)).toBe(1))

  it.each(['states', 'cities', 'zips', 'asns'])('is double when %s are chosen', (list) =>
    expect(multiplierOf({ ...none, [list]: ['x'] })).toBe(2),
  )

  it('is double exactly when one of the lists has an entry', () => {
    fc.assert(
      fc.property(lists, (targeting) => {
        const isNarrow = Object.values(targeting).some((list) => list.length > 0)
        expect(multiplierOf(targeting)).toBe(isNarrow ? 2 : 1)
      }),
    )
  })
})

it('5 GB are 5 GB of payload, and 2.5 GB with a city', () => {
  expect(payloadOf(5)).toEqual({ plain: 5, targeted: 2.5 })
  expect(payloadOf(99_999_999)).toEqual({ plain: 99_999_999, targeted: 49_999_999.5 })
})
