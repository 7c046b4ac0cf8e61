/** Traffic and money that staff give and take, with a reason: through the ledger, once per key. */
import type { Transaction } from 'kysely'
import { trafficText } from '#contract/traffic'
import type { Pool } from '#contract/wire'
import { type Database, type DB, transaction } from '#db'
import { referralBalance } from '#ledger'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { ensureAccess } from '#proxies'
import { giveBalance, moneyOf, takeOffBalance } from '#purchase'
import { giveMoney, takeMoney } from '#referral'
import { type Author, givenSince, record, type Stake } from '#staff'
import { balancesOf, callLeasesBack, creditTraffic, openMeter, takeBalance } from '#traffic'
import { customerOf } from './customers.acts.ts'
import { once } from '../lists/once.ts'

/** An act on a balance. */
interface Move {
  accountId: bigint
  reason: string
  /** The act's key, made by the client. A repeated request with the same key does the act once. */
  key: string
}
export type TrafficMove = Move & { pool: Pool; bytes: bigint }
/** `of`: the balance; absent: the referral balance. */
export type MoneyMove = Move & { micros: bigint; of?: 'referral' | 'balance' | undefined }

const dayMs = 24 * 60 * 60_000

/** Records an act with its key, its input and its answer. */
async function finish<Answer extends Record<string, string>>(
  tx: Transaction<DB>,
  author: Author,
  act: { action: string; move: Move; input: Record<string, string>; answer: Answer; stake?: Stake },
  now: Date,
): Promise<Answer> {
  const { action, move, input, answer, stake } = act
  const subject = { kind: 'customer', id: String(move.accountId) } as const
  const after = { key: move.key, input, answer }
  const given = stake === undefined ? {} : { stake }
  await record(
    tx,
    author,
    { action, subject, accountId: move.accountId, after, reason: move.reason, ...given },
    now,
  )
  return answer
}

const totalIn = async (tx: Transaction<DB>, accountId: bigint, pool: string) =>
  (await balancesOf(tx, accountId)).get(pool)?.total ?? 0n

/**
 * Gives a customer bonus traffic. `limitBytes` is what the author may give in 24 hours; null: any amount.
 * Refuses with `daily_limit`, `customer_not_found` and `act_key_reused`.
 */
export function giveTraffic(
  { db }: Database,
  { secrets, limitBytes }: { secrets: Secrets; limitBytes: bigint | null },
  author: Author,
  move: TrafficMove,
  now: Date,
) {
  const action = 'give_traffic'
  const { accountId, pool, bytes, key } = move
  const input = { id: String(accountId), pool, bytes: String(bytes) }
  return transaction(db, (tx) =>
    once(tx, { action, key, author, input }, async () => {
      await customerOf(tx, accountId)
      if (limitBytes !== null) await refuseOverLimit(tx, author, { bytes, limitBytes }, now)
      const access = await ensureAccess(tx, secrets, { accountId, pool })
      await openMeter(tx, { accessId: access.id, accountId, pool })
      const kind = 'staff_gift'
      await creditTraffic(tx, { accessId: access.id, part: 'bonus', bytes, kind, reference: key })
      const answer = { bytes: String(bytes), balance_bytes: String(await totalIn(tx, accountId, pool)) }
      return finish(tx, author, { action, move, input, answer, stake: { bytes } }, now)
    }),
  )
}

async function refuseOverLimit(
  tx: Transaction<DB>,
  { staffId }: Author,
  { bytes, limitBytes }: { bytes: bigint; limitBytes: bigint },
  now: Date,
): Promise<void> {
  if (staffId === null) return
  const since = new Date(now.getTime() - dayMs)
  const given = await givenSince(tx, { staffId, action: 'give_traffic', field: 'bytes' }, since)
  const left = given < limitBytes ? limitBytes - given : 0n
  if (bytes > left)
    throw new Refusal('daily_limit', { limit: trafficText(limitBytes), left: trafficText(left) })
}

/**
 * Takes traffic, at most the balance that is not on lease to a gateway. Asks gateways to return idle leases
 * first, which may take two seconds. Refuses with `customer_not_found` and `act_key_reused`.
 */
export async function takeTrafficOf({ db }: Database, author: Author, move: TrafficMove, now: Date) {
  const action = 'take_traffic'
  const { accountId, pool, bytes, key } = move
  const input = { id: String(accountId), pool, bytes: String(bytes) }
  await customerOf(db, accountId)
  await callLeasesBack(db, { accountId, pool })
  return transaction(db, (tx) =>
    once(tx, { action, key, author, input }, async () => {
      const taken = await takeBalance(tx, bytes, { accountId, pool, kind: 'staff_taking', reference: key })
      const answer = { bytes: String(taken), balance_bytes: String(await totalIn(tx, accountId, pool)) }
      return finish(tx, author, { action, move, input, answer }, now)
    }),
  )
}

/**
 * Gives money on the referral balance or the money balance, or takes up to so much of it. Refuses as the two
 * above do.
 */
export function moveMoney(
  { db }: Database,
  action: 'give_money' | 'take_money',
  author: Author,
  move: MoneyMove,
  now: Date,
) {
  const { accountId, micros, key, of = 'referral' } = move
  const input = {
    id: String(accountId),
    micros: String(micros),
    ...(of === 'referral' ? {} : { of }),
  }
  const acts =
    of === 'referral' ? { give: giveMoney, take: takeMoney } : { give: giveBalance, take: takeOffBalance }
  return transaction(db, (tx) =>
    once(tx, { action, key, author, input }, async () => {
      await customerOf(tx, accountId)
      const posting = { accountId, micros, reference: key }
      let moved = micros
      if (action === 'give_money') await acts.give(tx, { ...posting, kind: 'staff_gift' })
      else moved = await acts.take(tx, { ...posting, kind: 'staff_taking' })
      const balance =
        of === 'referral' ? await referralBalance(tx, accountId) : (await moneyOf(tx, accountId)).micros
      const answer = { micros: String(moved), balance_micros: String(balance) }
      const given = action === 'give_money' ? { stake: { micros } } : {}
      return finish(tx, author, { action, move, input, answer, ...given }, now)
    }),
  )
}
