/**
 * The desk's calls about a customer's automatic top-up. Staff see no more of a saved method than its owner
 * does.
 */
import { transaction } from '#db'
import { record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { cardText, lastCharges, listTopUps, savedMethods, switchOffByStaff } from '#topup'
import { amount } from '../lists/page.ts'
import { customerOf } from './customers.acts.ts'

const shownCharges = 5

export const topUpCalls = {
  customer_top_ups: async ({ id }, { database: { db } }) => {
    const accountId = BigInt(id)
    await customerOf(db, accountId)
    const saved = await savedMethods(db, accountId)
    const charges = await lastCharges(db, accountId, { perPool: shownCharges })
    return {
      saved: saved.map((one) => ({
        card: cardText(one),
        method: one.method,
        saved_at: one.savedAt.toISOString(),
      })),
      pools: (await listTopUps(db, accountId)).map((topUp) => ({
        pool: topUp.pool,
        on: topUp.isOn,
        off_reason: topUp.offReason,
        below_bytes: amount(topUp.belowBytes),
        gb: Number(topUp.gb),
        month_micros: amount(topUp.monthMicros),
        failures: topUp.failures,
        changed_at: topUp.changedAt.toISOString(),
        charges: charges
          .filter(({ pool }) => pool === topUp.pool)
          .map(({ state, reason, invoice, madeAt }) => ({
            state,
            reason,
            invoice,
            made_at: madeAt.toISOString(),
          })),
      })),
    }
  },
  switch_off_top_up: ({ id, pool, reason }, context) => {
    const accountId = BigInt(id)
    return transaction(context.database.db, async (tx) => {
      await customerOf(tx, accountId)
      const changed = await switchOffByStaff(tx, { accountId, pool }, context.now())
      const subject = { kind: 'customer', id } as const
      const entry = {
        action: 'switch_off_top_up',
        subject,
        accountId,
        reason,
        after: { pool, changed },
      } as const
      await record(tx, authorOf(context), entry, context.now())
      return { changed }
    })
  },
} satisfies Partial<DeskHandlers>
