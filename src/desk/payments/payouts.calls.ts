/** The desk's calls about payouts of referral balances. */
import type { Transaction } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { listPayouts, type Payout, payoutById, payPayout, refusePayout, takePayout } from '#referral'
import { record, type Stake } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { ownersOf } from '../lists/owners.ts'
import { amount, bigintOf, endOf, idAfter, iso, pageOf, timeOf } from '../lists/page.ts'

type Row = DeskOutput<'payouts'>['rows'][number]

/** The wallet is complete for members who may send payouts; others see only its end. */
const shownAddress = (address: string, context: DeskContext) =>
  may(memberOf(context).role, 'payouts.send') || address === '' ? address : `…${address.slice(-6)}`

function shownPayout(payout: Payout, customerName: string | null, context: DeskContext): Row {
  return {
    id: String(payout.id),
    asked_at: payout.askedAt.toISOString(),
    state: payout.state,
    micros: amount(payout.micros),
    asked_micros: amount(payout.askedMicros),
    network: payout.network,
    address: shownAddress(payout.address, context),
    customer_id: String(payout.accountId),
    customer_name: customerName,
    taken_at: iso(payout.takenAt),
    ended_at: iso(payout.endedAt),
    reference: payout.reference,
    reason: payout.reason,
  }
}

/**
 * The fields of a payout that the audit trail stores; the wallet stays with the payout, where an erasure
 * finds it.
 */
const recorded = ({ id, state, micros, network, reference }: Payout) => ({
  payout: String(id),
  state,
  micros: String(micros),
  network,
  reference,
})

/** Changes a payout and records it; a change that was made before is not recorded again. */
async function act(
  context: DeskContext,
  { action, id, reason, sends }: { action: string; id: bigint; reason: string | null; sends?: true },
  work: (tx: Transaction<DB>, now: Date) => Promise<boolean>,
): Promise<{ changed: boolean }> {
  const now = context.now()
  const changed = await transaction(context.database.db, async (tx) => {
    const before = await payoutById(tx, id)
    if (before === null) throw new Refusal('payout_not_found')
    if (!(await work(tx, now))) return false
    const after = (await payoutById(tx, id)) ?? before
    const subject = { kind: 'customer', id: String(before.accountId) } as const
    const [was, is] = [recorded(before), recorded(after)]
    // A payout counts once, although it is first taken and then paid.
    const stake: Stake = { micros: before.micros, of: `payout ${id}` }
    const entry = { action, subject, accountId: before.accountId, before: was, after: is, reason }
    await record(tx, authorOf(context), sends === true ? { ...entry, stake } : entry, now)
    return true
  })
  return { changed }
}

export const payoutCalls = {
  payouts: async ({ after, limit = 50, from, until, customer, ...asked }, context) => {
    const { database, zone } = context
    const filter = {
      ...asked,
      accountId: bigintOf(customer),
      from: timeOf(from, zone),
      until: endOf(until, zone),
    }
    const page = { before: idAfter(after), limit: limit + 1 }
    const rows = await listPayouts(database.db, filter, page)
    const owners = await ownersOf(
      database.db,
      rows.map(({ accountId }) => accountId),
    )
    return pageOf(rows, limit, {
      next: (last) => String(last.id),
      shown: (payout) => shownPayout(payout, owners.get(payout.accountId)?.username ?? null, context),
    })
  },
  take_payout: async ({ id: text, micros }, context) => {
    const id = BigInt(text)
    return act(context, { action: 'take_payout', id, reason: null, sends: true }, (tx, now) =>
      takePayout(tx, { id, micros: BigInt(micros) }, now),
    )
  },
  pay_payout: async ({ id: text, reference }, context) => {
    const id = BigInt(text)
    return act(context, { action: 'pay_payout', id, reason: null, sends: true }, (tx, now) =>
      payPayout(tx, { id, reference }, now),
    )
  },
  refuse_payout: async ({ id: text, reason }, context) => {
    const id = BigInt(text)
    return act(context, { action: 'refuse_payout', id, reason }, (tx, now) =>
      refusePayout(tx, { id, reason }, now),
    )
  },
} satisfies Partial<DeskHandlers>
