/**
 * Finds due top-ups and stores the charge with its invoice in one transaction, before the processor is
 * called.
 */
import { sql, type Transaction } from 'kysely'
import { addressesOf } from '#accounts'
import { languageOfCode } from '#contract/language'
import type { OffReason } from '#contract/topup/rules'
import { type Database, type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { PaymentMethod } from '#payments'
import { chargeToMake, orderOfCharge, writeAutomatic } from '#purchase'
import { type TrafficLeft, trafficHeld } from '#traffic'
import { chargedIn, readTopUp, type TopUp, topUpRows } from './list.ts'
import { crossed, type HeldBalance, monthOf, nothingHeld } from './rules.ts'
import { cardText, lockTopUps, savedMethodOf } from './saved.ts'
import { automaticMethods, chargeableMethods, type TopUpDeps } from './saving.ts'
import { switchOff } from './switch.ts'
import { tellBound, tellOff } from './tell.ts'

/** Writes the charges that are due, and returns their number. */
export async function writeDueCharges(database: Database, deps: TopUpDeps, now: Date): Promise<number> {
  if (automaticMethods(deps).length === 0) return 0
  const { db } = database
  const all = (await topUpRows(db).where('is_on', '=', true).execute()).map(readTopUp)
  const held = byHolding(await trafficHeld(db, all))
  let made = 0
  for (const topUp of all) {
    if (!mayBeDue(topUp, held.get(keyOf(topUp)) ?? nothingHeld, now)) continue
    if (await transaction(db, (tx) => writeCharge(tx, deps, topUp, now))) made += 1
  }
  return made
}

const keyOf = ({ accountId, pool }: { accountId: bigint; pool: string }) => `${accountId} ${pool}`
const byHolding = (held: TrafficLeft[]) => new Map<string, HeldBalance>(held.map((one) => [keyOf(one), one]))

/** A check without the lock, to avoid taking it needlessly. */
function mayBeDue(topUp: TopUp, held: HeldBalance, now: Date): boolean {
  const seen = { isArmed: topUp.isArmed, credits: topUp.seenCredits }
  const { isArmed, isDue } = crossed(seen, held, topUp.belowBytes)
  return isDue || isArmed !== topUp.isArmed || held.credits !== topUp.seenCredits || isRetry(topUp, held, now)
}

const isRetry = ({ retryAt, belowBytes }: TopUp, { bytes }: HeldBalance, now: Date) =>
  retryAt !== null && retryAt <= now && bytes < belowBytes

/** Checks again under the customer's lock, and stores the due charge. */
async function writeCharge(
  tx: Transaction<DB>,
  deps: TopUpDeps,
  { accountId, pool }: TopUp,
  now: Date,
): Promise<boolean> {
  await lockTopUps(tx, accountId)
  const row = await topUpRows(tx)
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || !row.is_on || (await isInFlight(tx, { accountId, pool }))) return false
  const topUp = readTopUp(row)
  const held: HeldBalance = (await trafficHeld(tx, [topUp]))[0] ?? nothingHeld
  const seen = { isArmed: topUp.isArmed, credits: topUp.seenCredits }
  const { isArmed, isDue } = crossed(seen, held, topUp.belowBytes)
  await note(tx, topUp, { is_armed: isArmed, seen_credits: held.credits })
  if (isDue) return charge(tx, deps, { ...topUp, crossing: topUp.crossing + 1n }, now)
  // Above the threshold, or after a new credit: the failed crossing has ended.
  if (!isRetry(topUp, held, now)) return false
  return (await mayRetry(tx, topUp)) && charge(tx, deps, topUp, now)
}

async function isInFlight(tx: Transaction<DB>, of: { accountId: bigint; pool: string }): Promise<boolean> {
  const open = await tx
    .selectFrom('top_up_charge')
    .select('id')
    .where('account_id', '=', of.accountId)
    .where('pool', '=', of.pool)
    .where('state', 'not in', ['succeeded', 'failed'])
    .executeTakeFirst()
  return open !== undefined
}

/**
 * A crossing for which money has arrived is not charged again, even when its charge was recorded as failed.
 */
async function mayRetry(tx: Transaction<DB>, { accountId, pool, crossing }: TopUp): Promise<boolean> {
  const paid = await tx
    .selectFrom('top_up_charge')
    .innerJoin('invoice', 'invoice.id', 'top_up_charge.invoice_id')
    .select('invoice.id')
    .where('top_up_charge.account_id', '=', accountId)
    .where('top_up_charge.pool', '=', pool)
    .where('top_up_charge.crossing', '=', crossing)
    .where('invoice.received_micros', '>', 0n)
    .executeTakeFirst()
  return paid === undefined
}

/**
 * Whether a charge under the present consent was returned or is disputed: taking back its traffic makes the
 * balance fall below the threshold, which must not cause another charge of the same card.
 */
async function wasReturned(tx: Transaction<DB>, { accountId, pool }: TopUp): Promise<boolean> {
  const { rows } = await sql`
    select from top_up_charge c join invoice i on i.id = c.invoice_id
      join top_up t on t.account_id = c.account_id and t.pool = c.pool
      join top_up_consent agreed on agreed.id = t.consent_id
    where c.account_id = ${accountId} and c.pool = ${pool} and c.made_at >= agreed.given_at
      and (i.refunded_micros > 0 or i.dispute_state in ('needs_response', 'under_review', 'lost'))
    limit 1`.execute(tx)
  return rows.length > 0
}

const note = (tx: Transaction<DB>, { accountId, pool }: TopUp, values: Record<string, unknown>) =>
  tx.updateTable('top_up').set(values).where('account_id', '=', accountId).where('pool', '=', pool).execute()

/** The order made on the customer's behalf. */
const orderFor = ({ accountId, pool, gb }: TopUp, lang: Parameters<typeof languageOfCode>[0]) => ({
  accountId,
  pool,
  gb,
  language: languageOfCode(lang),
})

async function charge(tx: Transaction<DB>, deps: TopUpDeps, topUp: TopUp, now: Date): Promise<boolean> {
  const { accountId, pool, savedMethodId } = topUp
  const { lang, isClosed } = await addressesOf(tx, accountId)
  const off = async (reason: OffReason) => {
    await switchOff(tx, { accountId, pool }, { reason, by: 'shop' }, now)
    await tellOff(tx, { accountId, pool, reason }, now)
    return false
  }
  if (isClosed) return off('account_blocked')
  if (await wasReturned(tx, topUp)) return off('charge_returned')
  if (savedMethodId === null) return off('method_removed')
  const saved = await savedMethodOf(tx, accountId, savedMethodId)
  const method = (await chargeableMethods(tx, deps)).find(({ name }) => name === saved.method)
  // Currently not allowed or not offered by the operator; it continues when both are so again.
  if (method === undefined) return false
  const order = orderFor(topUp, lang)
  const judged = await judge(tx, { method, order, topUp }, now)
  if (judged === 'wait') return false
  if (typeof judged === 'string') return off(judged)
  const month = monthOf(now)
  if ((await chargedIn(tx, { accountId, pool, month })) + judged.costMicros > topUp.monthMicros) {
    if (topUp.boundTold !== month) {
      await note(tx, topUp, { bound_told: month })
      await tellBound(tx, { accountId, pool, monthMicros: topUp.monthMicros }, now)
    }
    return false
  }
  const invoice = await orRefused(writeAutomatic(tx, deps, { ...order, method }, now))
  if (invoice instanceof Refusal) return off('receipt_email_required')
  await note(tx, topUp, { crossing: topUp.crossing, is_armed: false, retry_at: null })
  await tx
    .insertInto('top_up_charge')
    .values({
      account_id: accountId,
      pool,
      crossing: topUp.crossing,
      invoice_id: invoice.id,
      saved_method_id: saved.id,
      method: method.name,
      card: cardText(saved),
      order_text: await orderOfCharge(tx, deps, invoice),
      cost_micros: invoice.costMicros,
      month,
      state: 'intended',
      made_at: now,
      look_at: now,
    })
    .execute()
  return true
}

/** Refusals that the operator's prices or rates may end. */
const waiting: readonly string[] = ['payment_method_unavailable', 'amount_below_method']

/** The current price, or the reason for not charging. `wait`: the operator has to set a rate. */
async function judge(
  tx: Transaction<DB>,
  { method, order, topUp }: { method: PaymentMethod; order: ReturnType<typeof orderFor>; topUp: TopUp },
  now: Date,
): Promise<{ costMicros: bigint } | OffReason | 'wait'> {
  const priced = await orRefused(chargeToMake(tx, method, order, now))
  if (priced instanceof Refusal) return waiting.includes(priced.code) ? 'wait' : 'pool_off_sale'
  const { currency, micros } = priced.price
  if (currency !== topUp.most.currency || micros > topUp.most.micros) return 'price_raised'
  return priced
}

/** These refusals are thrown before any SQL statement fails, so the transaction remains usable. */
async function orRefused<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
