/** Who may give or exchange traffic, how much, and to whom. */
import { type Kysely, sql } from 'kysely'
import { type Actor, holdOf, nameKey } from '#accounts'
import { bytesPerMb, leastMoveMb, moveAgeDays } from '#contract/moves/rules'
import { bytesPerGb } from '#contract/wire'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { minuteInUtc } from '#lib/zone'
import { isDisputeOpen } from '../disputes.ts'

type Db = Kysely<DB>

/** What the shop allows for gifts, or for exchanges. */
export interface MoveRule {
  isOn: boolean
  gbPerDay: bigint
}

const dayMs = 24 * 60 * 60_000

/** Bytes in whole megabytes as refusals say them. */
export const inMb = (bytes: bigint): string => String(bytes / bytesPerMb)

export function bytesOf(megabytes: number): bigint {
  if (megabytes < leastMoveMb) throw new Refusal('move_too_small', { least: String(leastMoveMb) })
  return BigInt(megabytes) * bytesPerMb
}

/** What a customer can still give away, or exchange, within 24 hours. */
export async function leftToday(
  db: Db,
  { accountId, kind, gbPerDay }: { accountId: bigint; kind: 'gift' | 'exchange'; gbPerDay: bigint },
  now: Date,
): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from traffic_move
    where from_account = ${accountId} and kind = ${kind} and made_at > ${new Date(now.getTime() - dayMs)}`.execute(
    db,
  )
  const left = gbPerDay * bytesPerGb - (rows[0]?.bytes ?? 0n)
  return left < 0n ? 0n : left
}

/** Refuses with `gift_on_hold`, `gift_new_device`, `gift_not_yet` and `move_disputed`. */
export async function needMayGive(db: Db, giver: Actor, now: Date): Promise<void> {
  const held = await holdOf(db, giver, now)
  if (held !== null)
    throw new Refusal(held.why === 'changed' ? 'gift_on_hold' : 'gift_new_device', {
      until: minuteInUtc(held.until),
    })
  const { accountId } = giver
  const { rows } = await sql<{ isOld: boolean; hasPaid: boolean }>`
    select created_at <= ${new Date(now.getTime() - moveAgeDays * dayMs)} and not is_test as "isOld",
      exists (select from invoice i where i.account_id = account.id and i.state = 'paid' and i.received_micros > 0) as "hasPaid"
    from account where id = ${accountId} and blocked_at is null and erased_at is null`.execute(db)
  const [of] = rows
  if (of === undefined || !of.isOld || !of.hasPaid)
    throw new Refusal('gift_not_yet', { days: String(moveAgeDays) })
  await needNoDispute(db, accountId)
}

/** Refuses with `move_disputed`. */
export async function needNoDispute(db: Db, accountId: bigint): Promise<void> {
  const { rows } = await sql`
    select from invoice where account_id = ${accountId} and ${isDisputeOpen} limit 1`.execute(db)
  if (rows.length > 0) throw new Refusal('move_disputed')
}

/**
 * The id of the account with this name; null for an unknown, blocked or erased account, and for the giver's
 * own.
 */
export async function receiverOf(db: Db, name: string, accountId: bigint): Promise<bigint | null> {
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
