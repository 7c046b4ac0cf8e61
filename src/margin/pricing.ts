/** Prices used traffic by the purchases that it consumes. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { type Holding, type PurchaseLot, purchaseLots } from '#purchase'
import type { UnpricedUsage } from '#traffic'
import { divide, earn, freeBytes, minus, nothingTaken, type LotUse, takenBy } from './earned.ts'

/** The part of an hour's usage that one purchase covered, and its revenue. */
export interface Earned {
  hour: Date
  pool: string
  exitId: bigint
  accountId: bigint
  /** Both 0: no purchase, as for bonus and forgiven bytes. */
  invoiceId: bigint
  moveId: bigint
  tierPpm: number | null
  promocode: string | null
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  /** The relayed bytes that bonus covered or that were forgiven. */
  freeBytes: bigint
  micros: bigint
  feeMicros: bigint
  shareMicros: bigint
}

/** The use of one purchase of a holding. */
type LotTaken = Holding & { invoiceId: bigint; moveId: bigint } & LotUse

export interface Priced {
  earned: Earned[]
  /** The position of each priced holding afterwards. */
  positions: (Holding & { usedBytes: bigint })[]
  /** The purchases that changed. */
  lots: LotTaken[]
}

const keyOf = ({ accountId, pool }: Holding) => `${accountId} ${pool}`
const lotKeyOf = ({ invoiceId, moveId }: { invoiceId: bigint | null; moveId: bigint | null }) =>
  `${invoiceId ?? 0n} ${moveId ?? 0n}`

/**
 * Prices usage in order, and applies corrections for refunds and late payments to these holdings and to
 * `others`; for holdings without usage the corrections count in the hour `correctedAt`. Writes nothing.
 */
export async function price(
  db: Kysely<DB>,
  usage: readonly UnpricedUsage[],
  { others = [], correctedAt }: { others?: readonly Holding[]; correctedAt: Date },
): Promise<Priced> {
  const priced: Priced = { earned: [], positions: [], lots: [] }
  const usageOf = Map.groupBy(usage, keyOf)
  const holdings = [...new Map([...usage, ...others].map((one) => [keyOf(one), one])).values()]
  if (holdings.length === 0) return priced
  const [lotsOf, positionOf, takenOf] = await Promise.all([
    purchaseLots(db, holdings).then((lots) => Map.groupBy(lots, keyOf)),
    readPositions(db, holdings),
    readTaken(db, holdings),
  ])
  for (const { accountId, pool } of holdings) {
    const key = keyOf({ accountId, pool })
    const lots = lotsOf.get(key) ?? []
    const { usedBytes = 0n, isNoted = true } = positionOf.get(key) ?? {}
    const noted = new Map((takenOf.get(key) ?? []).map((one) => [lotKeyOf(one), one]))
    const before = isNoted
      ? [...lots, ofNone].map((lot) => noted.get(lotKeyOf(lot)) ?? nothingTaken)
      : takenBy(lots, usedBytes)
    const rows = usageOf.get(key) ?? []
    const amounts = rows.length === 0 ? [0n] : rows.map(({ bytes }) => bytes)
    const { earned, position } = earn(lots, { usedBytes, taken: before }, amounts)
    for (const [index, taken] of earned.entries()) {
      const row = rows[index]
      const at = { hour: row?.hour ?? correctedAt, exitId: row?.exitId ?? 0n, pool, accountId }
      priced.earned.push(...partsOf(lots, taken, row).map((part) => ({ ...at, ...part })))
    }
    priced.positions.push({ accountId, pool, usedBytes: position.usedBytes })
    for (const [index, lot] of [...lots, ofNone].entries()) {
      const taken = position.taken[index] ?? nothingTaken
      if (isSame(taken, isNoted ? (before[index] ?? nothingTaken) : nothingTaken)) continue
      priced.lots.push({
        accountId,
        pool,
        invoiceId: lot.invoiceId ?? 0n,
        moveId: lot.moveId ?? 0n,
        ...taken,
      })
    }
  }
  return priced
}

/** Placeholder for usage that belongs to no purchase. */
const ofNone = { invoiceId: null, moveId: null, tierPpm: null, promocode: null }

function isSame(a: LotUse, b: LotUse): boolean {
  const { usedBytes, micros, feeMicros, shareMicros } = minus(a, b)
  return usedBytes === 0n && micros === 0n && feeMicros === 0n && shareMicros === 0n
}

/** The use of each purchase by a row of usage, with its part of the relayed bytes. */
function partsOf(
  lots: readonly PurchaseLot[],
  taken: readonly LotUse[],
  row: UnpricedUsage | undefined,
): Omit<Earned, 'hour' | 'pool' | 'exitId' | 'accountId'>[] {
  const bonusBytes = row?.bonusBytes ?? 0n
  const relayedBytes = row?.relayedBytes ?? 0n
  const free = row === undefined ? 0n : freeBytes(row.whole) - freeBytes(row.noted)
  const relayed = divide(
    relayedBytes - free,
    taken.map(({ usedBytes }) => usedBytes),
  )
  return [...lots, ofNone].flatMap((lot, index) => {
    const isLast = index === lots.length
    const { usedBytes, micros, feeMicros, shareMicros } = taken[index] ?? nothingTaken
    const part = {
      invoiceId: lot.invoiceId ?? 0n,
      moveId: lot.moveId ?? 0n,
      tierPpm: lot.tierPpm,
      promocode: lot.promocode,
      chargedBytes: usedBytes + (isLast ? bonusBytes : 0n),
      bonusBytes: isLast ? bonusBytes : 0n,
      // Without a charge, all of it belongs to no purchase.
      relayedBytes: (relayed?.[index] ?? (isLast ? relayedBytes - free : 0n)) + (isLast ? free : 0n),
      freeBytes: isLast ? free : 0n,
      micros,
      feeMicros,
      shareMicros,
    }
    const { chargedBytes: charged, bonusBytes: bonus, relayedBytes: carried, freeBytes: freed } = part
    const figures = [charged, bonus, carried, freed, micros, feeMicros, shareMicros]
    return figures.every((figure) => figure === 0n) ? [] : [part]
  })
}

/** The holdings as a table `held`. */
const held = (holdings: readonly Holding[]) => sql`
  unnest(
    ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
    ${textArray(holdings.map(({ pool }) => pool))}::text[]
  ) held(account_id, pool)`

async function readPositions(
  db: Kysely<DB>,
  holdings: readonly Holding[],
): Promise<Map<string, { usedBytes: bigint; isNoted: boolean }>> {
  const { rows } = await sql<Holding & { usedBytes: bigint; isNoted: boolean }>`
    select p.account_id as "accountId", p.pool, p.used_bytes as "usedBytes", p.is_noted as "isNoted"
    from ${held(holdings)} join margin_position p on p.account_id = held.account_id and p.pool = held.pool`.execute(
    db,
  )
  return new Map(rows.map((row) => [keyOf(row), row]))
}

async function readTaken(db: Kysely<DB>, holdings: readonly Holding[]): Promise<Map<string, LotTaken[]>> {
  const { rows } = await sql<LotTaken>`
    select l.account_id as "accountId", l.pool, l.invoice_id as "invoiceId", l.move_id as "moveId",
      l.used_bytes as "usedBytes", l.revenue_micros as micros, l.fee_micros as "feeMicros", l.share_micros as "shareMicros"
    from ${held(holdings)} join margin_lot l on l.account_id = held.account_id and l.pool = held.pool`.execute(
    db,
  )
  return Map.groupBy(rows, keyOf)
}
