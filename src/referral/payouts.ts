/**
 * Payouts of referral balances: a customer requests one, staff send the money by hand. The ledger account
 * referral_payout of the customer holds the money of an open payout. docs/decisions/0044-payouts.md has the
 * reasons.
 */
import { type Selectable, sql, type Transaction } from 'kysely'
import { type Actor, holdOf } from '#accounts'
import { isOpenPayout, networkNames, type PayoutNetwork, type PayoutState } from '#contract/referral/payout'
import { type DB, transaction, type Db } from '#db'
import { customer, post, referralBalance } from '#ledger'
import { parseId } from '#lib/bigint'
import { usdText, usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { minuteInUtc } from '#lib/zone'
import { isWallet } from './payout.address.ts'
import { tellOfPayout } from './payout.tell.ts'
import { credit, lockReferrer } from './referrer.ts'

/** The shop's payout terms. */
export interface PayoutRules {
  isOn: boolean
  leastMicros: bigint
  networks: readonly PayoutNetwork[]
}

/** `operation`: the same for every repetition. */
export interface PayoutOrder extends Actor {
  micros: bigint
  network: PayoutNetwork
  address: string
  operation: string | undefined
}

/** The ledger's reference of a payout. */
export const referenceOf = (id: bigint) => `payout ${id}`

/** The inverse; null: the reference is of something else. */
export const idOf = (reference: string): bigint | null =>
  reference.startsWith('payout ') ? parseId(reference.slice('payout '.length)) : null

/**
 * Asks for money of the referral balance to be sent to a wallet. Refuses with `payouts_off`,
 * `payout_on_hold`, `payout_network`, `payout_address`, `payout_too_small`, `payout_open` and
 * `insufficient_referral_balance`.
 */
export async function requestPayout(
  db: Db,
  rules: PayoutRules,
  order: PayoutOrder,
  now: Date,
): Promise<void> {
  const { accountId, micros, network, address } = order
  if (!rules.isOn) throw new Refusal('payouts_off')
  if (!rules.networks.includes(network)) throw new Refusal('payout_network')
  if (!isWallet(network, address)) throw new Refusal('payout_address', { network: networkNames[network] })
  if (micros < rules.leastMicros)
    throw new Refusal('payout_too_small', { least: usdText(rules.leastMicros, 2) })
  await transaction(db, async (tx) => {
    await lockReferrer(tx, accountId)
    if (await wasMade(tx, order)) return
    await needMayAsk(tx, order, now)
    if ((await openPayout(tx, accountId)) !== null) throw new Refusal('payout_open')
    const balance = await referralBalance(tx, accountId)
    if (balance < micros)
      throw new Refusal('insufficient_referral_balance', {
        balance: usdToWire(balance),
        cost: usdToWire(micros),
      })
    const { id } = await tx
      .insertInto('referral_payout')
      .values({
        account_id: accountId,
        number: await nextNumber(tx, accountId),
        operation: order.operation ?? null,
        asked_micros: micros,
        micros,
        network,
        address,
        asked_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await post(tx, {
      kind: 'payout_requested',
      reference: referenceOf(id),
      postings: [
        { account: customer.referral(accountId), amount: -micros },
        { account: customer.referralPayout(accountId), amount: micros },
      ],
    })
    await tellOfPayout(tx, accountId, { event: 'requested', micros, network, address }, now)
  })
}

/**
 * The customer cancels a payout that is not being sent yet. Refuses with `payout_not_found` and
 * `payout_not_open`.
 */
export async function cancelPayout(
  db: Db,
  { accountId, number }: { accountId: bigint; number: number },
  now: Date,
): Promise<void> {
  await transaction(db, async (tx) => {
    const owed = await lockReferrer(tx, accountId)
    const row = await tx
      .selectFrom('referral_payout')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('number', '=', number)
      .executeTakeFirst()
    if (row === undefined) throw new Refusal('payout_not_found')
    // A repetition of an earlier attempt, whose answer was lost.
    if (row.state === 'cancelled') return
    if (row.state !== 'requested') throw new Refusal('payout_not_open')
    await endPayout(tx, row, { state: 'cancelled', owed }, now)
  })
}

/** Ends an open payout without payment: its money goes back to the balance, of which a debt is paid first. */
export async function endPayout(
  tx: Transaction<DB>,
  row: Selectable<DB['referral_payout']>,
  { state, reason = null, owed }: { state: 'cancelled' | 'refused'; reason?: string | null; owed: bigint },
  now: Date,
): Promise<void> {
  const { id, account_id: accountId, micros } = row
  await tx.updateTable('referral_payout').set({ state, reason, ended_at: now }).where('id', '=', id).execute()
  await post(tx, {
    kind: 'payout_returned',
    reference: referenceOf(id),
    postings: await credit(tx, { accountId, micros, from: customer.referralPayout(accountId), owed }),
  })
}

/** A customer's payout that is neither paid nor ended; null: there is none. */
async function openPayout(tx: Db, accountId: bigint) {
  const rows = await payoutsOf(tx, accountId, 1)
  return rows.find(({ state }) => isOpenPayout(state)) ?? null
}

/** The last payouts of a customer, the newest first. */
export async function payoutsOf(db: Db, accountId: bigint, limit: number) {
  const { rows } = await sql<Selectable<DB['referral_payout']>>`
    select * from referral_payout where account_id = ${accountId} order by number desc limit ${limit}`.execute(
    db,
  )
  return rows.map((row) => ({
    ...row,
    state: row.state as PayoutState,
    network: row.network as PayoutNetwork,
  }))
}

/** The referrer's lock prevents concurrent numbers. */
async function nextNumber(tx: Transaction<DB>, accountId: bigint): Promise<number> {
  const [last] = await payoutsOf(tx, accountId, 1)
  return (last?.number ?? 0) + 1
}

async function wasMade(tx: Transaction<DB>, { accountId, operation }: PayoutOrder): Promise<boolean> {
  if (operation === undefined) return false
  const row = await tx
    .selectFrom('referral_payout')
    .select('id')
    .where('account_id', '=', accountId)
    .where('operation', '=', operation)
    .executeTakeFirst()
  return row !== undefined
}

/** Checked under the lock: the account may have been taken over or blocked meanwhile. */
async function needMayAsk(tx: Transaction<DB>, order: PayoutOrder, now: Date): Promise<void> {
  const { accountId } = order
  const held = await holdOf(tx, order, now)
  if (held !== null)
    throw new Refusal('payout_on_hold', {
      until: minuteInUtc(held.until),
    })
  const row = await tx
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('blocked_at', 'is', null)
    .where('erased_at', 'is', null)
    .where('is_test', '=', false)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('payouts_off')
}
