/**
 * Gigabytes that move: given to another customer, or exchanged for those of another own pool. Only bought traffic moves, with what
 * was paid for it. A refund treats what has moved like what was used: docs/decisions/0038-moved-gigabytes.md.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { accountSubject, countAttempt, heldUntil, nameKey, needProof } from '#accounts'
import { basePrices } from '#catalog'
import { bytesPerMb, exchangedBytes, leastMoveMb, moveAgeDays } from '#contract/moves/rules'
import { bytesPerGb, type Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { randomToken, type Secrets } from '#lib/secret'
import { ensureSubuser } from '#proxies'
import { moveTraffic, openMeter } from '#traffic'
import { isDisputeOpen } from '../disputes.ts'
import { purchaseLots } from '../lots.ts'
import { partsOf } from './parts.ts'
import { tellOfMove } from './tell.ts'

type Db = Kysely<DB>

/** What the shop allows. */
export interface GiftRules {
  isOn: boolean
  gbPerDay: bigint
}

/** One move as its customer orders it. `operation`: the same for every repetition. */
interface Order {
  accountId: bigint
  pool: Pool
  megabytes: number
  operation: string | undefined
}

const dayMs = 24 * 60 * 60_000

/** Names of receivers that an account may try; sign-up tells as much of a name. */
const receiverLimits = (accountId: bigint) => [
  { kind: 'gift_receiver', subject: accountSubject(accountId), max: 20, windowMinutes: 60 },
]

/** What a customer has given away within 24 hours. */
export async function givenLately(db: Db, accountId: bigint, now: Date): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from traffic_move
    where from_account = ${accountId} and kind = 'gift' and made_at > ${new Date(now.getTime() - dayMs)}`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0n
}

/** Bytes in whole megabytes as refusals say them. */
const inMb = (bytes: bigint): string => String(bytes / bytesPerMb)

function bytesOf(megabytes: number): bigint {
  if (megabytes < leastMoveMb) throw new Refusal('move_too_small', { least: String(leastMoveMb) })
  return BigInt(megabytes) * bytesPerMb
}

/**
 * Gives bought traffic to another customer, named by the exact user name or confirmed address. Refuses with `gifts_off`,
 * `proof_needed`, `move_too_small`, `gift_on_hold`, `gift_not_yet`, `move_disputed`, `gift_too_large`, `too_many_attempts`,
 * `receiver_not_found` and `move_not_covered`.
 */
export async function giveTraffic(
  db: Db,
  deps: { secrets: Secrets; rules: GiftRules },
  order: Order & { tokenSha256: Buffer; to: string },
  now: Date,
): Promise<void> {
  const { accountId, pool, tokenSha256 } = order
  if (!deps.rules.isOn) throw new Refusal('gifts_off')
  await needProof(db, tokenSha256, now)
  const bytes = bytesOf(order.megabytes)
  await needMayGive(db, accountId, now)
  // Counted whether the name is right or not, so that the count tells nothing of it.
  await countAttempt(db, receiverLimits(accountId), now)
  const found = await receiverOf(db, order.to, accountId)
  if (found === null) throw new Refusal('receiver_not_found')
  await transaction(db, async (tx) => {
    await lockAccounts(tx, [accountId, found])
    if (await wasMade(tx, order)) return
    // Asked again under the lock: the account may have been taken over, or blocked, meanwhile.
    await needMayGive(tx, accountId, now)
    if ((await receiverOf(tx, order.to, accountId)) !== found) throw new Refusal('receiver_not_found')
    const most = deps.rules.gbPerDay * bytesPerGb
    const left = most - (await givenLately(tx, accountId, now))
    if (bytes > left)
      throw new Refusal('gift_too_large', { most: inMb(most), left: inMb(left < 0n ? 0n : left) })
    const move = {
      order,
      kind: 'gift',
      from: { accountId, pool, bytes },
      to: { accountId: found, pool, bytes },
    } as const
    await make(tx, deps.secrets, move, now)
  })
}

/**
 * Exchanges bought traffic for that of another own pool at the prices of both before discounts, rounded down. `toBytes` is what the
 * customer was shown. Refuses with `same_pool`, `move_too_small`, `move_disputed`, `invalid_pool`, `move_quote_changed` and
 * `move_not_covered`.
 */
export async function exchangeTraffic(
  db: Db,
  { secrets }: { secrets: Secrets },
  order: Order & { toPool: Pool; toBytes: bigint },
  now: Date,
): Promise<void> {
  const { accountId, pool, toPool } = order
  if (pool === toPool) throw new Refusal('same_pool')
  const bytes = bytesOf(order.megabytes)
  await transaction(db, async (tx) => {
    await lockAccounts(tx, [accountId])
    if (await wasMade(tx, order)) return
    await needNoDispute(tx, accountId)
    const prices = await basePrices(tx)
    const [fromMicros, toMicros] = [prices.get(pool), prices.get(toPool)]
    if (fromMicros === undefined || toMicros === undefined) throw new Refusal('invalid_pool')
    const toBytes = exchangedBytes(bytes, { fromMicros, toMicros })
    if (toBytes !== order.toBytes || toBytes <= 0n) throw new Refusal('move_quote_changed')
    const to = { accountId, pool: toPool, bytes: toBytes }
    await make(tx, secrets, { order, kind: 'exchange', from: { accountId, pool, bytes }, to }, now)
  })
}

/** In the order of their ids, so that of two moves in opposite directions one waits without a lock. */
async function lockAccounts(tx: Transaction<DB>, ids: readonly bigint[]): Promise<void> {
  await tx
    .selectFrom('account')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

async function needMayGive(db: Db, accountId: bigint, now: Date): Promise<void> {
  const until = await heldUntil(db, accountId, now)
  if (until !== null)
    throw new Refusal('gift_on_hold', { until: `${until.toISOString().slice(0, 16).replace('T', ' ')} UTC` })
  const { rows } = await sql<{ isOld: boolean; hasPaid: boolean }>`
    select created_at <= ${new Date(now.getTime() - moveAgeDays * dayMs)} and not is_test as "isOld",
      exists (select from invoice i where i.account_id = account.id and i.state = 'paid' and i.received_micros > 0) as "hasPaid"
    from account where id = ${accountId} and blocked_at is null and erased_at is null`.execute(db)
  const [of] = rows
  if (of === undefined || !of.isOld || !of.hasPaid)
    throw new Refusal('gift_not_yet', { days: String(moveAgeDays) })
  await needNoDispute(db, accountId)
}

async function needNoDispute(db: Db, accountId: bigint): Promise<void> {
  const { rows } = await sql`
    select from invoice where account_id = ${accountId} and ${isDisputeOpen} limit 1`.execute(db)
  if (rows.length > 0) throw new Refusal('move_disputed')
}

/** The account that a name means; a blocked or erased one, and one's own, are none. */
async function receiverOf(db: Db, name: string, accountId: bigint): Promise<bigint | null> {
  const key = nameKey(name)
  const row = await db
    .selectFrom('account')
    .select('id')
    .where(key.includes('@') ? 'email_key' : 'username_key', '=', key)
    .where('blocked_at', 'is', null)
    .where('erased_at', 'is', null)
    .where('is_test', '=', false)
    .$if(key.includes('@'), (query) => query.where('email_confirmed_at', 'is not', null))
    .executeTakeFirst()
  return row === undefined || row.id === accountId ? null : row.id
}

/** Whether an earlier attempt, whose answer was lost, has made it. */
async function wasMade(tx: Transaction<DB>, { accountId, operation }: Order): Promise<boolean> {
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
  const { id: subuserId } = await ensureSubuser(tx, secrets, { accountId: to.accountId, pool: to.pool })
  await openMeter(tx, { subuserId, accountId: to.accountId, pool: to.pool })
  const reference = `${order.accountId}:${order.operation ?? randomToken()}`
  const free = await moveTraffic(tx, { kind, reference, from, to: { ...to, subuserId } })
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
        })),
      )
      .execute()
  await tellOfMove(tx, { kind, from, to }, now)
}
