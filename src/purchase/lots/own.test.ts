import { describe, expect, it } from 'vitest'
import { type Holdings, type MovedPart, ownTraffic } from './own.ts'

const pool = 'residential'
const lot = (invoiceId: bigint | null, bytes: bigint, of = pool, moveId: bigint | null = null) => ({
  pool: of,
  invoiceId,
  moveId,
  bytes,
})
const part = (of: Partial<MovedPart>): MovedPart => ({
  id: 1n,
  moveId: 1n,
  kind: 'exchange',
  fromPool: pool,
  toPool: 'mobile',
  invoiceId: 1n,
  sourceMoveId: null,
  bytes: 10n,
  toBytes: 5n,
  ...of,
})
const holdings = (
  lots: Holdings['lots'],
  held: Record<string, bigint>,
  more: Partial<Holdings> = {},
): Holdings => ({
  lots,
  parts: [],
  heldBytes: new Map(Object.entries(held)),
  freeBytes: new Map(Object.entries(held)),
  frozenBytes: new Map(),
  ...more,
})
const left = (of: Holdings, id: bigint, wanted = 100n) => ownTraffic(of, { id, pool }, wanted)

describe('the traffic of a purchase', () => {
  const lots = [lot(1n, 10n), lot(null, 4n, pool, 9n), lot(2n, 6n)]

  it('is used after that of older purchases', () => {
    const leftOf = (id: bigint) =>
      [20n, 15n, 10n, 3n, 0n].map((held) => left(holdings(lots, { residential: held }), id).bytes)
    expect(leftOf(1n)).toEqual([10n, 5n, 0n, 0n, 0n])
    expect(leftOf(2n)).toEqual([6n, 6n, 6n, 3n, 0n])
  })

  it('that was given away is not taken, whatever other purchases have', () => {
    const gift = part({ kind: 'gift', invoiceId: 2n, toPool: pool, toBytes: 10n })
    const moved = holdings([lot(1n, 10n), lot(2n, 0n)], { residential: 10n }, { parts: [gift] })
    expect(left(moved, 2n)).toMatchObject({ bytes: 0n, givenBytes: 10n })
    expect(left(moved, 3n).bytes).toBe(0n)
  })

  it('that a dispute withholds is not used by later usage of other purchases', () => {
    const frozen = { frozenBytes: new Map([['i1', 10n]]) }
    expect(left(holdings(lots, { residential: 4n }, frozen), 2n).bytes).toBe(4n)
    expect(left(holdings(lots, { residential: 10n }, frozen), 2n).bytes).toBe(6n)
  })
})

describe('exchanged traffic of a purchase', () => {
  const exchanged = (mobile: bigint, parts = [part({})]) =>
    holdings([lot(1n, 0n), lot(null, 5n, 'mobile', 1n)], { residential: 0n, mobile }, { parts })

  it('is taken back in proportion, where it is', () => {
    const own = left(exchanged(5n), 1n)
    expect(own.bytes).toBe(10n)
    expect([...own.byPool]).toEqual([
      ['residential', 0n],
      ['mobile', 5n],
    ])
    expect(left(exchanged(5n), 1n, 4n)).toMatchObject({ bytes: 4n, undone: [{ bytes: 4n, toBytes: 2n }] })
  })

  it('is limited to what is left of it', () => {
    expect(left(exchanged(2n), 1n)).toMatchObject({ bytes: 4n, undone: [{ bytes: 4n, toBytes: 2n }] })
    expect(left(exchanged(0n), 1n)).toMatchObject({ bytes: 0n, undone: [] })
    const leased = { ...exchanged(5n), freeBytes: new Map([['mobile', 1n]]) }
    expect(left(leased, 1n).bytes).toBe(2n)
  })

  it('is traced through a second exchange, and the part given to others is a loss', () => {
    const parts = [
      part({}),
      part({ id: 2n, moveId: 2n, fromPool: 'mobile', toPool: 'datacenter', invoiceId: null, sourceMoveId: 1n, bytes: 4n, toBytes: 12n }), // prettier-ignore
      part({ id: 3n, moveId: 3n, kind: 'gift', fromPool: 'mobile', invoiceId: null, sourceMoveId: 1n, bytes: 1n, toBytes: 1n }), // prettier-ignore
    ]
    const lots = [lot(1n, 0n), lot(null, 0n, 'mobile', 1n), lot(null, 12n, 'datacenter', 2n)]
    const own = left(holdings(lots, { residential: 0n, mobile: 0n, datacenter: 12n }, { parts }), 1n)
    expect(own).toMatchObject({ bytes: 8n, givenBytes: 2n })
    expect(Object.fromEntries(own.byPool)).toEqual({ residential: 0n, mobile: 0n, datacenter: 12n })
    expect(own.undone.map(({ part: { id } }) => id)).toEqual([2n, 1n])
  })
})
