/**
 * Moves of gigabytes: gifts to another customer, and exchanges for gigabytes of another pool of the same
 * customer. Only bought traffic moves, with what was paid for it. A refund undoes exchanges, and treats given
 * traffic as used: docs/decisions/0038-moved-gigabytes.md.
 */
import type { Kysely, Transaction } from 'kysely'
import { accountSubject, type Actor, countAttempt } from '#accounts'
import { pricesFor } from '#catalog'
import { exchangedBytes } from '#contract/moves/rules'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets } from '#lib/secret'
import { ensureAccess } from '#proxies'
import { moveTraffic, openMeter } from '#traffic'
import { purchaseLots } from '../lots/purchase.lots.ts'
import {
  bytesOf,
  inMb,
  leftToday,
  type MoveRule,
  needMayGive,
  needNoDispute,
  receiverOf,
} from './conditions.ts'
import { partsOf } from '../lots/moved.sources.ts'
import { tellOfMove } from './tell.ts'

type Db = Kysely<DB>

/** What a customer wants to move. */
interface Wish {
  accountId: bigint
  pool: Pool
  megabytes: number
}

/** One move as its customer orders it. `operation`: the same for every repetition. */
type Order = Wish & { operation: string | undefined }

/** How many receivers' names an account may try. Sign-up reveals as much about whether a name exists. */
const receiverLimits = (accountId: bigint) => [
  { kind: 'gift_receiver', subject: accountSubject(accountId), max: 20, windowMinutes: 60 },
]

/**
 * Gives bought traffic to another customer, named by the exact user name or confirmed address. A repetition
 * of an order that was made changes nothing, whatever is refused by now. Refuses with `gifts_off`,
 * `move_too_small`, `gift_on_hold`, `gift_new_device`, `gift_not_yet`, `move_disputed`, `gift_too_large`,
 * `too_many_attempts`, `receiver_not_found` and `move_not_covered`.
 */
export async function giveTraffic(
  db: Db,
  deps: { secrets: Secrets; rule: MoveRule },
  order: Order & Actor & { to: string },
  now: Date,
): Promise<void> {
  const { accountId, pool } = order
  if (await wasMade(db, order)) return
  if (!deps.rule.isOn) throw new Refusal('gifts_off')
  const bytes = bytesOf(order.megabytes)
  await needMayGive(db, order, now)
  // Counted whether the name exists or not, so that the limit does not reveal it.
  await countAttempt(db, receiverLimits(accountId), now)
  const found = await receiverOf(db, order.to, accountId)
  if (found === null) throw new Refusal('receiver_not_found')
  await transaction(db, async (tx) => {
    await lockAccounts(tx, [accountId, found])
    if (await wasMade(tx, order)) return
    // Asked again under the lock: the account may have been taken over, or blocked, meanwhile.
    await needMayGive(tx, order, now)
    if ((await receiverOf(tx, order.to, accountId)) !== found) throw new Refusal('receiver_not_found')
    await needWithin(tx, { kind: 'gift', accountId, bytes, rule: deps.rule }, now)
    const move = {
      order,
      kind: 'gift',
      from: { accountId, pool, bytes },
      to: { accountId: found, pool, bytes },
    } as const
    await make(tx, deps.secrets, move, now)
  })
}

/** Refuses more than a day's moves of a kind with `gift_too_large` and `exchange_too_large`. */
async function needWithin(
  tx: Db,
  of: { kind: 'gift' | 'exchange'; accountId: bigint; bytes: bigint; rule: MoveRule },
  now: Date,
): Promise<void> {
  const { kind, accountId, bytes, rule } = of
  const left = await leftToday(tx, { accountId, kind, gbPerDay: rule.gbPerDay }, now)
  if (bytes <= left) return
  const code = kind === 'gift' ? 'gift_too_large' : 'exchange_too_large'
  throw new Refusal(code, { most: String(rule.gbPerDay * 1000n), left: inMb(left) })
}

/**
 * The bytes that an exchange gives: worth what these ones cost at the customer's own prices before discounts,
 * at most what was paid for them. Refuses with `same_pool`, `move_too_small` and `invalid_pool`.
 */
export async function quoteExchange(
  db: Db,
  { accountId, pool, toPool, megabytes }: Wish & { toPool: Pool },
): Promise<bigint> {
  if (pool === toPool) throw new Refusal('same_pool')
  const bytes = bytesOf(megabytes)
  const { prices } = await pricesFor(db, accountId)
  const [fromMicros, toMicros] = [prices.get(pool), prices.get(toPool)]
  if (fromMicros === undefined || toMicros === undefined) throw new Refusal('invalid_pool')
  const parts = partsOf(await purchaseLots(db, [{ accountId, pool }]), bytes)
  const paidMicros = parts.reduce((sum, part) => sum + part.paidMicros, 0n)
  return exchangedBytes(bytes, { fromMicros, toMicros, paidMicros })
}

/**
 * Exchanges bought traffic for that of another own pool, as `quoteExchange` values it. `toBytes` is what the
 * customer was shown. A repetition changes nothing. Refuses with `exchanges_off`, `same_pool`,
 * `move_too_small`, `move_disputed`, `invalid_pool`, `exchange_too_large`, `move_quote_changed` and
 * `move_not_covered`.
 */
export async function exchangeTraffic(
  db: Db,
  deps: { secrets: Secrets; rule: MoveRule },
  order: Order & { toPool: Pool; toBytes: bigint },
  now: Date,
): Promise<void> {
  const { accountId, pool, toPool } = order
  await transaction(db, async (tx) => {
    await lockAccounts(tx, [accountId])
    if (await wasMade(tx, order)) return
    if (!deps.rule.isOn) throw new Refusal('exchanges_off')
    const toBytes = await quoteExchange(tx, order)
    const bytes = bytesOf(order.megabytes)
    await needNoDispute(tx, accountId)
    await needWithin(tx, { kind: 'exchange', accountId, bytes, rule: deps.rule }, now)
    const move = {
      order,
      kind: 'exchange',
      from: { accountId, pool, bytes },
      to: { accountId, pool: toPool, bytes: toBytes },
    } as const
    if (toBytes !== order.toBytes || toBytes <= 0n) throw new Refusal('move_quote_changed')
    await make(tx, deps.secrets, move, now)
  })
}

/** Locks accounts in the order of their ids, so that two moves in opposite directions do not deadlock. */
async function lockAccounts(tx: Transaction<DB>, ids: readonly bigint[]): Promise<void> {
  await tx
    .selectFrom('account')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Whether an earlier attempt, whose response was lost, has made the move. */
async function wasMade(tx: Db, { accountId, operation }: Order): Promise<boolean> {
  if (operation === undefined) return false
  const row = await tx
    .selectFrom('traffic_move')
    .select('id')
    .where('reference', '=', `${accountId}:${operation}`)
    .executeTakeFirst()
  return row !== undefined
}

interface Side {
  accountId: bigint
  pool: Pool
  bytes: bigint
}

async function make(
  tx: Transaction<DB>,
  secrets: Secrets,
  { order, kind, from, to }: { order: Order; kind: 'gift' | 'exchange'; from: Side; to: Side },
  now: Date,
): Promise<void> {
  const { id: accessId } = await ensureAccess(tx, secrets, { accountId: to.accountId, pool: to.pool })
  await openMeter(tx, { accessId, accountId: to.accountId, pool: to.pool })
  const reference = `${order.accountId}:${order.operation ?? randomToken()}`
  const free = await moveTraffic(tx, { kind, reference, from, to: { ...to, accessId } })
  if (free !== null) throw new Refusal('move_not_covered', { free: inMb(free) })
  const parts = partsOf(await purchaseLots(tx, [from]), from.bytes)
  const { id: moveId } = await tx
    .insertInto('traffic_move')
    .values({
      reference,
      kind,
      made_at: now,
      from_account: from.accountId,
      from_pool: from.pool,
      bytes: from.bytes,
      to_account: to.accountId,
      to_pool: to.pool,
      to_bytes: to.bytes,
      micros: parts.reduce((sum, { micros }) => sum + micros, 0n),
      fee_micros: parts.reduce((sum, { feeMicros }) => sum + feeMicros, 0n),
      share_micros: parts.reduce((sum, { shareMicros }) => sum + shareMicros, 0n),
      paid_micros: parts.reduce((sum, { paidMicros }) => sum + paidMicros, 0n),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (parts.length > 0)
    await tx
      .insertInto('traffic_move_part')
      .values(
        parts.map((part) => ({
          move_id: moveId,
          invoice_id: part.invoiceId,
          source_move_id: part.moveId,
          bytes: part.bytes,
          micros: part.micros,
          fee_micros: part.feeMicros,
          share_micros: part.shareMicros,
          paid_micros: part.paidMicros,
        })),
      )
      .execute()
  await tellOfMove(tx, { kind, from, to }, now)
}
