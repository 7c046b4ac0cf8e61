/** Staff's actions on payouts: each runs in the caller's transaction, together with its audit entry. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { isOpenPayout, type PayoutNetwork, type PayoutState } from '#contract/referral/payout'
import type { DB } from '#db'
import { customer, house, post } from '#ledger'
import { Refusal } from '#lib/refusal'
import { tellOfPayout } from './payout.tell.ts'
import { endPayout, idOf, referenceOf } from './payouts.ts'
import { lockReferrer } from './referrer.ts'

export interface Payout {
  id: bigint
  accountId: bigint
  number: number
  askedMicros: bigint
  micros: bigint
  network: PayoutNetwork
  address: string
  state: PayoutState
  askedAt: Date
  takenAt: Date | null
  endedAt: Date | null
  reference: string | null
  reason: string | null
}

type Row = Selectable<DB['referral_payout']>

const payoutOf = (row: Row): Payout => ({
  id: row.id,
  accountId: row.account_id,
  number: row.number,
  askedMicros: row.asked_micros,
  micros: row.micros,
  network: row.network as PayoutNetwork,
  address: row.address,
  state: row.state as PayoutState,
  askedAt: row.asked_at,
  takenAt: row.taken_at,
  endedAt: row.ended_at,
  reference: row.reference,
  reason: row.reason,
})

/** A payout by its id; null: there is none. */
export async function payoutById(db: Kysely<DB>, id: bigint): Promise<Payout | null> {
  const row = await db.selectFrom('referral_payout').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : payoutOf(row)
}

export interface PayoutFilter {
  /** `open`: requested or being sent. */
  state?: PayoutState | 'open' | undefined
  network?: PayoutNetwork | undefined
  accountId?: bigint | undefined
  /** By the time of the request. */
  from?: Date | undefined
  until?: Date | undefined
}

/** Payouts of all customers, the newest first, before the one with the id `before`. */
export async function listPayouts(
  db: Kysely<DB>,
  { state, network, accountId, from, until }: PayoutFilter,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<Payout[]> {
  let query = db.selectFrom('referral_payout').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (state === 'open') query = query.where('state', 'in', ['requested', 'sending'])
  else if (state !== undefined) query = query.where('state', '=', state)
  if (network !== undefined) query = query.where('network', '=', network)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (from !== undefined) query = query.where('asked_at', '>=', from)
  if (until !== undefined) query = query.where('asked_at', '<', until)
  return (await query.execute()).map(payoutOf)
}

/** The number of open payouts, with at most `most` oldest ones. */
export async function waitingPayouts(
  db: Kysely<DB>,
  most: number,
): Promise<{ count: number; ids: bigint[] }> {
  const { rows } = await sql<{ count: bigint; ids: bigint[] | null }>`
    select count(*) as count, (array_agg(id order by id))[1:${most}::int] as ids
    from referral_payout where state in ('requested', 'sending')`.execute(db)
  return { count: Number(rows[0]?.count ?? 0n), ids: rows[0]?.ids ?? [] }
}

/**
 * The customers of payouts, by the references of their ledger transactions; other references are left out.
 */
export async function payoutAccounts(
  db: Kysely<DB>,
  references: readonly string[],
): Promise<Map<string, bigint>> {
  const ids = references.map(idOf).filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('referral_payout')
    .select(['id', 'account_id'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [referenceOf(row.id), row.account_id]))
}

/** The payout with its customer's balance locked. Refuses with `payout_not_found`. */
async function locked(tx: Transaction<DB>, id: bigint): Promise<{ row: Row; owed: bigint }> {
  const known = await payoutById(tx, id)
  if (known === null) throw new Refusal('payout_not_found')
  const owed = await lockReferrer(tx, known.accountId)
  const row = await tx
    .selectFrom('referral_payout')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { row, owed }
}

/**
 * Marks a payout as being sent: the customer can no longer cancel it, and refunds no longer reduce it, since
 * its money may be on its way. `micros`: the amount shown to staff. Refuses with `payout_not_found` and
 * `payout_changed`. False: it is already being sent.
 */
export async function takePayout(
  tx: Transaction<DB>,
  { id, micros }: { id: bigint; micros: bigint },
  now: Date,
): Promise<boolean> {
  const { row } = await locked(tx, id)
  if (row.state === 'sending' && row.micros === micros) return false
  if (row.state !== 'requested' || row.micros !== micros) throw new Refusal('payout_changed')
  await tx
    .updateTable('referral_payout')
    .set({ state: 'sending', taken_at: now })
    .where('id', '=', id)
    .execute()
  return true
}

/**
 * Records that staff have sent a payout's money; `reference` is the network's transaction id. Refuses with
 * `payout_not_found` and `payout_changed`. False: already recorded with the same reference.
 */
export async function payPayout(
  tx: Transaction<DB>,
  { id, reference }: { id: bigint; reference: string },
  now: Date,
): Promise<boolean> {
  const { row } = await locked(tx, id)
  if (row.state === 'paid' && row.reference === reference) return false
  if (row.state !== 'sending') throw new Refusal('payout_changed')
  const { account_id: accountId, micros, network, address } = row
  await tx
    .updateTable('referral_payout')
    .set({ state: 'paid', reference, ended_at: now })
    .where('id', '=', id)
    .execute()
  await post(tx, {
    kind: 'payout_paid',
    reference: referenceOf(id),
    postings: [
      { account: customer.referralPayout(accountId), amount: -micros },
      { account: house.referralPaid(), amount: micros },
      { account: house.cash('by_hand'), amount: -micros },
      { account: house.payouts(), amount: micros },
    ],
  })
  await tellOfPayout(tx, accountId, { event: 'paid', micros, network, address, reference }, now)
  return true
}

/**
 * Refuses a payout: the customer gets the reason, and the money returns to the balance. Refuses with
 * `payout_not_found` and `payout_changed`. False: already refused for the same reason.
 */
export async function refusePayout(
  tx: Transaction<DB>,
  { id, reason }: { id: bigint; reason: string },
  now: Date,
): Promise<boolean> {
  const { row, owed } = await locked(tx, id)
  if (row.state === 'refused' && row.reason === reason) return false
  if (!isOpenPayout(row.state as PayoutState)) throw new Refusal('payout_changed')
  await endPayout(tx, row, { state: 'refused', reason, owed }, now)
  const { account_id: accountId, micros, network, address } = row
  await tellOfPayout(tx, accountId, { event: 'refused', micros, network, address, reason }, now)
  return true
}

/** Whether the customer has an open payout, which must be settled before their data is erased. */
export async function hasOpenPayout(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  return (await listPayouts(db, { state: 'open', accountId }, { before: null, limit: 1 })).length > 0
}

/**
 * Removes a customer's wallet addresses, and blocks new requests until the transaction ends. Refuses with
 * `erasure_payout`.
 */
export async function erasePayouts(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await lockReferrer(tx, accountId)
  if (await hasOpenPayout(tx, accountId)) throw new Refusal('erasure_payout')
  await tx
    .updateTable('referral_payout')
    .set({ address: '', reason: sql`case when reason is null then null else '' end`, operation: null })
    .where('account_id', '=', accountId)
    .execute()
}
