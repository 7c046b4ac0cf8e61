/** The calls of automatic top-up: get_top_ups, top_up_consent, set_top_up and remove_saved_method. */
import type { Transaction } from 'kysely'
import type { Output, Parsed } from '#contract/contract'
import { microsPerCent, upToCent } from '#contract/price'
import type { topUpWire } from '#contract/topup/calls'
import { type DB, transaction } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import type { Price } from '#payments'
import { chargeToMake } from '#purchase'
import { trafficHeld } from '#traffic'
import { type Terms, topUpText } from './consent.ts'
import { chargedNow, lastCharges, listTopUps, type ListedCharge, type TopUp } from './list.ts'
import { mostOf, nextMonth, nothingHeld } from './rules.ts'
import { cardText, lockTopUps, savedMethodOf, savedMethods } from './saved.ts'
import {
  agreementOf,
  chargeableMethods,
  isSaving,
  savingConsent,
  savingMethods,
  type TopUpDeps,
} from './saving.ts'
import { removeMethod, switchOff, switchOn } from './switch.ts'

export function topUpCalls(deps: TopUpDeps) {
  return {
    get_top_ups: (_input, context) => answer(deps, context),
    top_up_consent: async (input, context) =>
      transaction(context.database.db, async (tx) => {
        const { terms } = await termsOf(tx, deps, input, context)
        const { text, sha256 } = topUpText(context.language, terms)
        const { id: accountId } = callerOf(context)
        const [held = nothingHeld] = await trafficHeld(tx, [{ accountId, pool: terms.pool }])
        return {
          text,
          sha256: sha256.toString('hex'),
          cost_usd: usdToWire(terms.costMicros),
          price: inWire(terms.price),
          most: inWire(terms.most),
          charges_now: held.bytes < terms.belowBytes,
        }
      }),
    set_top_up: async (input, context) => {
      const { id: accountId } = callerOf(context)
      await transaction(context.database.db, async (tx) => {
        await lockTopUps(tx, accountId)
        const { terms, saved } = await termsOf(tx, deps, input, context)
        const agreement = agreementOf(context, topUpText(context.language, terms), input.consent)
        await switchOn(tx, { agreement, saved, terms }, context.now())
      })
      return answer(deps, context)
    },
    switch_off_top_up: async ({ pool }, context) => {
      const { id: accountId } = callerOf(context)
      await transaction(context.database.db, async (tx) => {
        await lockTopUps(tx, accountId)
        await switchOff(tx, { accountId, pool }, { reason: 'customer', by: 'customer' }, context.now())
      })
      return answer(deps, context)
    },
    remove_saved_method: async ({ id }, context) => {
      const { id: accountId } = callerOf(context)
      await transaction(context.database.db, async (tx) => {
        await lockTopUps(tx, accountId)
        const saved = await savedMethodOf(tx, accountId, BigInt(id))
        await removeMethod(tx, saved, { reason: 'method_removed', by: 'customer' }, context.now())
      })
      return answer(deps, context)
    },
  } satisfies HandlersOf<typeof topUpWire>
}

const inWire = ({ currency, micros }: Price) => ({ currency, amount: usdToWire(micros) })

/**
 * What a customer wants to agree to, at present prices. Refuses with `saved_method_not_found`,
 * `top_up_unavailable`, `top_up_too_small`, `top_up_bound_too_low`, and as an order is.
 */
async function termsOf(
  tx: Transaction<DB>,
  deps: TopUpDeps,
  input: Parsed<'top_up_consent'>,
  context: Context,
) {
  const { id: accountId } = callerOf(context)
  const { pool } = input
  const saved = await savedMethodOf(tx, accountId, BigInt(input.method_id))
  const method = (await chargeableMethods(tx, deps)).find(({ name }) => name === saved.method)
  if (method === undefined) throw new Refusal('top_up_unavailable')
  const [belowBytes, gb] = [BigInt(input.below_bytes), BigInt(input.gb)]
  if (gb * 1_000_000_000n < belowBytes) throw new Refusal('top_up_too_small')
  const order = { accountId, pool, gb, language: context.language }
  const { costMicros, price } = await chargeToMake(tx, method, order, context.now())
  const monthMicros = BigInt(Math.round(input.month_usd * 100)) * microsPerCent
  if (monthMicros < costMicros) {
    const least = upToCent(costMicros)
    throw new Refusal('top_up_bound_too_low', { least: usdToWire(least) })
  }
  const most = mostOf(price)
  const terms: Terms = { pool, card: cardText(saved), belowBytes, gb, costMicros, price, most, monthMicros }
  return { saved, terms }
}

async function answer(deps: TopUpDeps, context: Context): Promise<Output<'get_top_ups'>> {
  const { db } = context.database
  const { id: accountId } = callerOf(context)
  const last = await lastCharges(db, accountId, { perPool: 1 })
  const topUps = await listTopUps(db, accountId)
  const saving = savingConsent(context.language)
  return {
    methods: await savingMethods(db, deps, context.now()),
    save_consent: { text: saving.text, sha256: saving.sha256.toString('hex') },
    saving: await isSaving(db, accountId),
    saved: (await savedMethods(db, accountId)).map(({ id, method, brand, last4, expires, savedAt }) => ({
      id: String(id),
      method,
      brand,
      last4,
      expires,
      saved_at: savedAt.toISOString(),
    })),
    pools: await Promise.all(
      topUps.map(async (topUp) =>
        shown(topUp, {
          chargedMicros: await chargedNow(db, topUp, context.now()),
          last: last.find(({ pool }) => pool === topUp.pool),
          now: context.now(),
        }),
      ),
    ),
  }
}

type TopUpView = Output<'get_top_ups'>['pools'][number]

function shown(
  topUp: TopUp,
  { chargedMicros, last, now }: { chargedMicros: bigint; last: ListedCharge | undefined; now: Date },
): TopUpView {
  const { monthMicros, retryAt } = topUp
  const lastMicros = topUp.most.currency === 'USD' ? topUp.most.micros : 1n
  const isReached = chargedMicros + lastMicros > monthMicros
  const notBefore = isReached ? nextMonth(now) : retryAt !== null && retryAt > now ? retryAt : null
  return {
    pool: topUp.pool,
    on: topUp.isOn,
    off_reason: topUp.offReason,
    method_id: topUp.savedMethodId === null ? null : String(topUp.savedMethodId),
    below_bytes: Number(topUp.belowBytes),
    gb: Number(topUp.gb),
    month_usd: usdToWire(monthMicros),
    charged_usd: usdToWire(chargedMicros),
    most: inWire(topUp.most),
    not_before: topUp.isOn ? (notBefore?.toISOString() ?? null) : null,
    last: last === undefined ? null : shownCharge(last),
  }
}

const shownCharge = (charge: ListedCharge): NonNullable<TopUpView['last']> => ({
  made_at: charge.madeAt.toISOString(),
  state: charge.state,
  reason: charge.reason,
  invoice: charge.invoice,
  price: inWire(charge.price),
  card: charge.card,
  payment_url: charge.paymentUrl,
})
