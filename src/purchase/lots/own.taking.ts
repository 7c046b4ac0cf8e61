/**
 * Takes back the traffic of one purchase, including what it was exchanged for: for a refund by the shop, a
 * refund by the processor, or a dispute.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import {
  balancesOf,
  callLeasesBack,
  lockTraffic,
  movableOf,
  moveTraffic,
  releaseReserves,
  reservedPaid,
} from '#traffic'
import type { Goods } from '#contract/wire'
import { purchaseLots } from './purchase.lots.ts'
import { partsOf } from './moved.sources.ts'
import {
  type Holdings,
  lotKey,
  type MovedPart,
  type Own,
  ownTraffic,
  type PaidPart,
  toBytesOf,
  type Undone,
} from './own.ts'

/** The purchase whose traffic is taken. */
export interface OwnInvoice {
  id: bigint
  accountId: bigint
  pool: Goods
  isTest: boolean
  creditedBytes: bigint
  takenBackBytes: bigint
}

type Db = Kysely<DB>

/** Recalls the leases of the traffic of an invoice, and of what it was exchanged for. */
export async function callOwnBack(db: Db, { id, accountId, pool }: OwnInvoice): Promise<void> {
  const { rows } = await sql<{ pool: string }>`
    with recursive moved as (
      select move_id from traffic_move_part where invoice_id = ${id}
      union
      select p.move_id from moved join traffic_move_part p on p.source_move_id = moved.move_id
    )
    select distinct m.to_pool as pool from moved join traffic_move m on m.id = moved.move_id
    where m.kind = 'exchange' and m.from_account = ${accountId}`.execute(db)
  const pools = new Set([pool, ...rows.map((row) => row.pool)])
  await Promise.all([...pools].map((one) => callLeasesBack(db, { accountId, pool: one })))
}

/** How much of these bytes of an invoice could be taken back now. */
export async function findOwn(db: Db, invoice: OwnInvoice, bytes: bigint): Promise<Own> {
  const { isTest, pool, creditedBytes, takenBackBytes } = invoice
  // Test purchases are not counted as lots.
  if (isTest || bytes <= 0n) {
    const own = isTest && bytes > 0n ? least(bytes, creditedBytes - takenBackBytes) : 0n
    return { bytes: own, undone: [], byPool: new Map([[pool, own]]), givenBytes: 0n }
  }
  return ownTraffic(await holdingsOf(db, invoice), invoice, bytes)
}

/**
 * How much of these bytes of a locked invoice a refund or a dispute may take: what is left of its own
 * traffic, after undoing as many exchanges as necessary. Locks the account, as gifts and exchanges do, so
 * that none of them moves the bytes before they are taken. `releasedBytes`: bytes that a dispute of the
 * invoice has withheld until now, so they are unused.
 */
export async function gatherOwn(
  tx: Transaction<DB>,
  invoice: OwnInvoice,
  bytes: bigint,
  { releasedBytes, now }: { releasedBytes: bigint; now: Date },
): Promise<Own> {
  const { id, accountId, isTest, pool } = invoice
  if (isTest || bytes <= 0n) return findOwn(tx, invoice, bytes)
  await sql`select from account where id = ${accountId} for no key update`.execute(tx)
  await lockTraffic(tx, accountId)
  const holdings = await settledHoldings(tx, invoice, releasedBytes)
  const released = least(bytes, releasedBytes)
  const own = ownTraffic(holdings, invoice, bytes - released)
  await releaseNeeded(tx, accountId, new Map(own.byPool).set(pool, (own.byPool.get(pool) ?? 0n) + released))
  for (const undone of own.undone) await undo(tx, { accountId, invoiceId: id, undone }, now)
  const byPool = new Map(own.byPool).set(pool, (own.byPool.get(pool) ?? 0n) + released)
  return { ...own, bytes: own.bytes + released, byPool }
}

/** Releases reserves of proxy users where the free traffic of a pool does not cover what is taken from it. */
export async function releaseNeeded(
  tx: Transaction<DB>,
  accountId: bigint,
  byPool: ReadonlyMap<string, bigint>,
): Promise<void> {
  const reserved = await reservedPaid(tx, accountId)
  if (reserved.size === 0) return
  const movable = await movableOf(tx, accountId)
  for (const [pool, bytes] of byPool) {
    const missing = least(bytes - (movable.get(pool) ?? 0n), reserved.get(pool) ?? 0n)
    if (missing > 0n) await releaseReserves(tx, { accountId, pool, bytes: missing })
  }
}

/**
 * The holdings of the customer of an invoice. `releasedBytes` are in the balance already, but are treated as
 * still withheld.
 */
export async function holdingsOf(
  db: Db,
  { id, accountId, pool }: OwnInvoice,
  releasedBytes = 0n,
): Promise<Holdings> {
  const heldBytes = await heldOf(db, { accountId, pool }, releasedBytes)
  const freeBytes = new Map(await movableOf(db, accountId))
  for (const [name, bytes] of await reservedPaid(db, accountId))
    freeBytes.set(name, (freeBytes.get(name) ?? 0n) + bytes)
  freeBytes.set(pool, (freeBytes.get(pool) ?? 0n) - releasedBytes)
  const lots = await purchaseLots(
    db,
    [...heldBytes.keys()].map((name) => ({ accountId, pool: name })),
  )
  const { rows } = await sql<MovedPart & PaidPart & { undoneBytes: bigint }>`
    select p.id, p.move_id as "moveId", m.kind, m.from_pool as "fromPool", m.to_pool as "toPool", p.invoice_id as "invoiceId",
      p.source_move_id as "sourceMoveId", p.bytes - undone.bytes as bytes, m.to_bytes as "toBytes",
      undone.to_bytes as "undoneBytes", p.paid_micros as "paidMicros", m.paid_micros as "movePaidMicros"
    from traffic_move m join traffic_move_part p on p.move_id = m.id cross join lateral (
      select coalesce(sum(u.bytes), 0)::bigint as bytes, coalesce(sum(u.to_bytes), 0)::bigint as to_bytes
      from traffic_move_undone u where u.part_id = p.id
    ) undone
    where m.from_account = ${accountId}
    order by m.made_at, p.id`.execute(db)
  const parts = rows.map((row) => ({ ...row, toBytes: toBytesOf(row) - row.undoneBytes }))
  const frozenBytes = await frozenOf(db, accountId)
  const key = lotKey({ invoiceId: id, moveId: null })
  frozenBytes.set(key, (frozenBytes.get(key) ?? 0n) + releasedBytes)
  return { lots, parts, heldBytes, freeBytes, frozenBytes }
}

/** The unused bytes of the customer by pool, as `holdingsOf` has them. */
async function heldOf(
  db: Db,
  { accountId, pool }: Pick<OwnInvoice, 'accountId' | 'pool'>,
  releasedBytes: bigint,
): Promise<Map<string, bigint>> {
  const balances = await balancesOf(db, accountId)
  // What is reserved for proxy users is not used.
  const held = new Map([...balances].map(([name, one]) => [name, one.paid + one.reservedPaid]))
  return held.set(pool, (held.get(pool) ?? 0n) - releasedBytes)
}

/**
 * The same under the locks of `gatherOwn`. A payment takes none of them: what it credits between two of the
 * statements would count as used by other purchases. Every credit raises a balance, so they are read again.
 */
async function settledHoldings(
  tx: Transaction<DB>,
  invoice: OwnInvoice,
  releasedBytes: bigint,
): Promise<Holdings> {
  for (;;) {
    const holdings = await holdingsOf(tx, invoice, releasedBytes)
    const held = await heldOf(tx, invoice, releasedBytes)
    if ([...held].every(([pool, bytes]) => holdings.heldBytes.get(pool) === bytes)) return holdings
  }
}

/** Bytes of each lot that disputes withhold: they are in no balance, and are unused. */
async function frozenOf(db: Db, accountId: bigint): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ invoiceId: bigint | null; moveId: bigint | null; bytes: bigint }>`
    select i.id as "invoiceId", null::bigint as "moveId", sum(d.frozen_bytes)::bigint as bytes
    from payment_dispute d join invoice i on i.id = d.invoice_id
    where i.account_id = ${accountId} and d.released_at is null group by i.id
    union all
    select null, move_id, sum(frozen_bytes)::bigint from dispute_gift
    where account_id = ${accountId} and released_at is null group by move_id`.execute(db)
  return new Map(rows.map(({ bytes, ...lot }) => [lotKey(lot), bytes]))
}

interface Undoing {
  accountId: bigint
  invoiceId: bigint
  undone: Undone
}

/** Undoes a part of an exchange, with its money, in the ledger and in the purchases. */
async function undo(
  tx: Transaction<DB>,
  { accountId, invoiceId, undone: { part, bytes, toBytes } }: Undoing,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ micros: bigint; feeMicros: bigint; shareMicros: bigint; paidMicros: bigint }>`
    select p.micros - coalesce(sum(u.micros), 0)::bigint as micros,
      p.fee_micros - coalesce(sum(u.fee_micros), 0)::bigint as "feeMicros",
      p.share_micros - coalesce(sum(u.share_micros), 0)::bigint as "shareMicros",
      p.paid_micros - coalesce(sum(u.paid_micros), 0)::bigint as "paidMicros"
    from traffic_move_part p left join traffic_move_undone u on u.part_id = p.id
    where p.id = ${part.id} group by p.id`.execute(tx)
  const money = rows[0] ?? { micros: 0n, feeMicros: 0n, shareMicros: 0n, paidMicros: 0n }
  const [back = { ...money, bytes }] = partsOf(
    [{ ...money, invoiceId: part.invoiceId, moveId: part.sourceMoveId, bytes: part.bytes }],
    bytes,
  )
  const { id } = await tx
    .insertInto('traffic_move_undone')
    .values({
      part_id: part.id,
      invoice_id: invoiceId,
      made_at: now,
      bytes,
      to_bytes: toBytes,
      micros: back.micros,
      fee_micros: back.feeMicros,
      share_micros: back.shareMicros,
      paid_micros: back.paidMicros,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const pool = part.fromPool
  const { rows: meters } = await sql<{ access_id: bigint }>`
    select access_id from meter where account_id = ${accountId} and pool = ${pool}`.execute(tx)
  const accessId = meters[0]?.access_id
  if (accessId === undefined) throw new Error(`account ${accountId} has no meter of ${pool}`)
  const free = await moveTraffic(tx, {
    kind: 'exchange_undone',
    reference: String(id),
    from: { accountId, pool: part.toPool, bytes: toBytes },
    to: { accountId, pool, bytes, accessId },
  })
  if (free !== null) throw new Error(`exchange part ${part.id} is not covered by free traffic`)
}
